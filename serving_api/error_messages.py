"""What is wrong, as people are told it: bodies of REST say it for programs."""

import re
from collections.abc import Mapping, Sequence

from serving_api.errors import ApiError, NamesFields

_NEEDED = "This is needed"
_CHANGED = "It comes to something else by now: look again"

_REWRITES: Sequence[tuple[str, str]] = (
    ("Field required", _NEEDED),
    ("Input should be a valid (UUID, invalid length: found 0|string)", _NEEDED),
    ("Input should be a valid UUID", "Choose one of these"),
    ("(String|Value) should have at least 1 (character|item)", _NEEDED),
    ("List should have at least 1 item", "Fill in one at least"),
    (r"(?:String|Value) should have at most (\d+) ", r"Write \1 characters at most"),
    ("String should match pattern", "This is not written as it should be"),
    ("Input should be a valid integer", "Write a whole number"),
    (r"Input should be '", "Choose one of these"),
    ("Input should be greater than 0$", "Write a number above 0"),
    (r"Input should be greater than or equal to (\d+)$", r"Write \1 or more"),
    (r"Input should be less than or equal to (\d+)$", r"Write \1 at most"),
    ("(must not be before|must not be earlier than)", "This day is before the first one"),
    ("must not be empty with tracking_mode", "Write the hashtags whose posts count"),
    (r"the accrual is now \d+ cents", _CHANGED),
    (r"must be the sum of the accruals", _CHANGED),
    ("must be in ascending order of up_to_impressions", "Each step ends above the one before"),
    ("must be in ascending order", "Write each number once, the smallest first"),
    ("must lie in the future", "Choose a day that is still to come"),
    ("only the last tier may have null", "Only the last step may be without an end"),
    ("the last tier must have null", "The last step has no end: leave its views empty"),
)
"""How refusals begin, and what people are told instead."""

_VAGUE = {"This is not written as it should be", "Write a whole number"}
_ADMINS_ALONE = {"insufficient_role", "insufficient_scope"}
"""Every member at the desk may do what the other scopes let keys do."""
_FOR_ADMINS = "This is for admins of your organization."
_NO_PAGE = "There is no page at this address."

_BY_CODE: Mapping[str, str] = {
    **dict.fromkeys(_ADMINS_ALONE, _FOR_ADMINS),
    "route_not_found": _NO_PAGE,
    "invalid_params": _NO_PAGE,
    "method_not_allowed": "This address takes a form alone. Go back and send the form again.",
    "invalid_cursor": "This part of the list cannot be found again. Start at its first page.",
    "limit_reached": "Your plan includes {limit}. Delete one or upgrade.",
    "retention_exceeded": "Days this old are not kept. Choose later ones.",
    "plan_feature_unavailable": "Your plan does not include this.",
    "accrual_open": "This amount is not final yet: its numbers are still being checked.",
    "accrual_held": "This amount waits for a check of odd readings. Release it first.",
    "accrual_paid": "This amount is in a payment already.",
    "accrual_void": "This amount was decided not to be paid.",
    "structure_shape_locked": "Creators are paid by this rule: its period and kind stay the same.",
    "structure_in_use": "Creators are paid by this rule: archive it instead.",
    "conversion_event_exists": "An event of this project has this key. Resume it if it is stopped.",
    "internal_error": "This is a mistake of ours. Try again. If it comes again, send this number to"
    " the people who run this service: {request_id}",
}
"""What people are told of a code; in braces stands what `meta` has."""

_NOUNS = {
    "max_api_keys_per_org": "API key",
    "max_accounts_per_org": "account",
    "max_projects_per_org": "project",
    "max_tracked_videos_per_org": "tracked post",
    "max_conversion_events_per_project": "conversion event",
}

_IN_CENTS = re.compile(r"Input should be (less|greater) than")
_NEEDS = re.compile(r"mode \w+ (requires|does not allow) (\w+)$")


def plain(path: str, message: str) -> str:
    """Return what people are told of a field; other numbers than dollars are no help at cents."""
    if path.endswith("_cents") and message.startswith("Input should be a valid integer"):
        return _NEEDED
    if path.endswith("_cents") and (match := _IN_CENTS.match(message)):
        return "This is too much" if match[1] == "less" else "This is too little"
    for begun, template in _REWRITES:
        if match := re.match(begun, message):
            return match.expand(template)
    return message


def of_field(path: str, message: str, sent: str) -> str:
    """Return the same of what was sent: of nothing it says that it is needed, and not how."""
    plain_message = plain(path, message)
    return _NEEDED if plain_message in _VAGUE and not sent.strip() else plain_message


def beside_no_field(path: str, message: str) -> str:
    """Return the same where no field of a form is beside it, so that it has to name its own."""
    plain_message = plain(path, message)
    if path == "body" or plain_message == _CHANGED:
        return plain_message
    name = next(part for part in reversed(path.split(".")) if not part.isdigit())
    return f"{name.removesuffix('_id').replace('_', ' ').capitalize()}: {plain_message}"


def refused(error: ApiError) -> list[str]:
    """Return what people are told of a refusal where no form is beside it."""
    if isinstance(error, NamesFields) and error.code not in _BY_CODE:
        return [beside_no_field(issue["path"], issue["message"]) for issue in error.issues]
    return [sentence_of(error)]


def sentence_of(error: ApiError) -> str:
    """Return what people are told of a refusal that is about no field."""
    noun, most = _NOUNS.get(str(error.meta.get("limitKey")), "thing"), error.meta.get("max")
    limit = f"{most} {noun}{'' if most == 1 else 's'}"
    template = _BY_CODE.get(error.code)
    values = {"request_id": "not known", **error.meta, "limit": limit}
    return template.format(**values) if template else error.message


def located(path: str, message: str) -> tuple[str, str]:
    """Return which field a message is about that was said of a whole body or a part of it."""
    first, _, rest = message.partition(" ")
    if path == "body" and "_" in first:
        return first, rest
    if match := _NEEDS.match(message):
        plain_message = _NEEDED if match[1] == "requires" else "Leave this empty with this choice"
        return f"{path}.{match[2]}", plain_message
    return path, message
