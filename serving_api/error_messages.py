"""Error messages for pages; REST bodies have messages for programs."""

import re
from collections.abc import Mapping, Sequence

from serving_api.errors import ApiError, NamesFields

_NEEDED = "This field is required"
_CHANGED = "The amount has changed. Check it and try again"

_REWRITES: Sequence[tuple[str, str]] = (
    ("Field required", _NEEDED),
    ("Input should be a valid (UUID, invalid length: found 0|string)", _NEEDED),
    ("Input should be a valid UUID", "Choose an option"),
    ("String should have at least 1 character", _NEEDED),
    ("List should have at least 1 item", "Fill in at least one"),
    (r"String should have at most (\d+) ", r"Enter at most \1 characters"),
    ("String should match pattern", "This format is not valid"),
    ("Input should be a valid integer", "Enter a whole number"),
    (r"Input should be '", "Choose an option"),
    ("Input should be greater than 0$", "Enter a number above 0"),
    (r"Input should be greater than or equal to (\d+)$", r"Enter \1 or more"),
    (r"Input should be less than or equal to (\d+)$", r"Enter \1 or less"),
    ("(must not be before|must not be earlier than)", "Enter a date on or after the start date"),
    ("must not be empty with tracking_mode", "Enter at least one hashtag"),
    (r"the accrual is now \d+ cents", _CHANGED),
    (r"must be the sum of the accruals", _CHANGED),
    (r"sum to .+ but a payment cannot be negative", "These amounts come to less than $0.00"),
    (r"must not be after the end date \((.+)\)", r"Enter a date on or before \1"),
    (r"must be at most (\d+) days before", r"Enter a date at most \1 days before the end date"),
    ("must be in ascending order of up_to_impressions", "Each tier must end above the one before"),
    ("must be in ascending order", "Enter each number once, smallest first"),
    ("must not repeat a", "Enter each one once"),
    ("must be an https URL", "Enter an https URL"),
    ("must be in the future", "Enter a future date"),
    ("only the last tier may have null", "Only the last tier can have no limit"),
    ("the last tier must have null", "Leave the views of the last tier empty: it has no limit"),
)
"""Message of REST by regular expression, and its replacement on pages."""

_VAGUE = {"This format is not valid", "Enter a whole number"}
_ADMINS_ALONE = {"insufficient_role", "insufficient_scope"}
"""Members on the desk have all other scopes."""
_FOR_ADMINS = "Only admins of your organization can do this."
_NO_PAGE = "This page does not exist."

_BY_CODE: Mapping[str, str] = {
    **dict.fromkeys(_ADMINS_ALONE, _FOR_ADMINS),
    "route_not_found": _NO_PAGE,
    "invalid_params": _NO_PAGE,
    "method_not_allowed": "Only a form can open this page. Go back and submit the form again.",
    "invalid_cursor": "This part of the list is no longer available. Start from the first page.",
    "limit_reached": "Your plan includes {limit}. Delete one or upgrade.",
    "retention_exceeded": "Dates this old are not available. Choose later ones.",
    "plan_feature_unavailable": "Your plan does not include this.",
    "accrual_open": "This amount is not final yet: its numbers are still settling.",
    "accrual_held": "This amount is on hold. Release it first.",
    "accrual_paid": "This amount is already in a payment.",
    "accrual_void": "This amount is marked as not to be paid.",
    "structure_shape_locked": "Creators are assigned: period and kind of this rule cannot change.",
    "structure_in_use": "Creators are assigned to this rule. Archive it instead.",
    "conversion_event_exists": "An event of this project has this key. Resume it if it is stopped.",
    "internal_error": "Something went wrong. Try again. If it happens again, send this number to"
    " your administrator: {request_id}",
}
"""Sentence by error code, with placeholders from `meta`."""

_NOUNS = {
    "max_api_keys_per_org": "API key",
    "max_accounts_per_org": "account",
    "max_projects_per_org": "project",
    "max_free_organizations_per_user": "free organization",
    "max_tracked_videos_per_org": "tracked post",
    "max_conversion_events_per_project": "conversion event",
}

_BOUND = re.compile(r"Input should be (less|greater) than")
_SCALED = {
    "_cents": "amount",
    "_per_thousand": "amount",
    "_bps": "percentage",
    "_multiplier": "percentage",
}
"""Fields that pages show in dollars or percent, by the end of their name."""
_NEEDS = re.compile(r"mode \w+ (requires|does not allow) (\w+)$")
_ALL_GOALS = re.compile(r"partial_allowed, .+ require mode all$")


def plain(path: str, message: str) -> str:
    """Return the page's message for a field, without bounds in units that pages do not show."""
    if path.endswith("_cents") and message.startswith("Input should be a valid integer"):
        return _NEEDED
    scaled = next((noun for end, noun in _SCALED.items() if path.endswith(end)), None)
    if scaled and (match := _BOUND.match(message)):
        return f"This {scaled} is too {'large' if match[1] == 'less' else 'small'}"
    for begun, template in _REWRITES:
        if match := re.match(begun, message):
            return match.expand(template)
    return message


def of_field(path: str, message: str, sent: str) -> str:
    """Return the page's message for a field; an empty one is required, whatever its format."""
    plain_message = plain(path, message)
    return _NEEDED if plain_message in _VAGUE and not sent.strip() else plain_message


def beside_no_field(path: str, message: str) -> str:
    """Return the page's message with the field's name, for errors without a field in the form."""
    plain_message = plain(path, message)
    if path == "body" or plain_message == _CHANGED:
        return plain_message
    name = next(part for part in reversed(path.split(".")) if not part.isdigit())
    return f"{name.removesuffix('_id').replace('_', ' ').capitalize()}: {plain_message}"


def refused(error: ApiError) -> list[str]:
    """Return the page's messages of an error outside of a form."""
    if isinstance(error, NamesFields) and error.code not in _BY_CODE:
        return [beside_no_field(issue["path"], issue["message"]) for issue in error.issues]
    return [sentence_of(error)]


def sentence_of(error: ApiError) -> str:
    """Return the page's sentence for an error without fields."""
    noun, most = _NOUNS.get(str(error.meta.get("limitKey")), "thing"), error.meta.get("max")
    limit = f"{most} {noun}{'' if most == 1 else 's'}"
    template = _BY_CODE.get(error.code)
    values = {"request_id": "not known", **error.meta, "limit": limit}
    return template.format(**values) if template else error.message


def located(path: str, message: str) -> tuple[str, str]:
    """Return the field and message if a message about the whole body names a field."""
    first, _, rest = message.partition(" ")
    if path == "body" and "_" in first:
        return first, rest
    if match := _NEEDS.match(message):
        plain_message = _NEEDED if match[1] == "requires" else "Leave this empty for this choice"
        return f"{path}.{match[2]}", plain_message
    if _ALL_GOALS.match(message):
        return f"{path}.mode", "Choose all goals to pay in proportion when goals are partly met"
    return path, message
