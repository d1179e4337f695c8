"""What is wrong with a field, as people are told it: bodies of REST say it for programs."""

import re
from collections.abc import Sequence

from serving_api.errors import ApiError, NamesFields

_NEEDED = "This is needed"
_CHANGED = "It comes to something else by now: look again"

_SAID: Sequence[tuple[str, str]] = (
    ("Field required", _NEEDED),
    ("Input should be a valid (UUID, invalid length: found 0|string)", _NEEDED),
    ("Input should be a valid UUID", "Choose one of these"),
    ("(String|Value) should have at least 1 (character|item)", _NEEDED),
    ("List should have at least 1 item", "Fill in one at least"),
    (r"(?:String|Value) should have at most (\d+) ", r"Write \1 characters at most"),
    ("String should match pattern", "This is not written as it should be"),
    ("Input should be a valid integer", "Write a whole number"),
    ("Input should be greater than 0$", "Write a number above 0"),
    (r"Input should be greater than or equal to (\d+)$", r"Write \1 or more"),
    (r"Input should be less than or equal to (\d+)$", r"Write \1 at most"),
    ("(must not be before|must not be earlier than)", "This day is before the first one"),
    ("must not be empty with tracking_mode", "Write the hashtags whose posts count"),
    (r"the accruals? comes? to \d+ cents", _CHANGED),
    ("must ascend by up_to_impressions", "Each step ends above the one before"),
    ("must ascend", "Write each number once, the smallest first"),
    ("must lie in the future", "Choose a day that is still to come"),
    ("only the last tier may have null", "Only the last step may be without an end"),
    ("the last tier must have null", "The last step has no end: leave its views empty"),
)
"""How refusals begin, and what people are told instead."""

_VAGUE = {"This is not written as it should be", "Write a whole number"}
_ADMINS_ALONE = {"insufficient_role", "insufficient_scope"}
"""Every member at the desk may do what the other scopes let keys do."""
_FOR_ADMINS = "This is for admins of your organization."

_IN_CENTS = re.compile(r"Input should be (less|greater) than")
_NEEDS = re.compile(r"mode \w+ (needs|takes no) (\w+)$")


def plain(path: str, message: str) -> str:
    """Return what people are told of a field; other numbers than dollars are no help at cents."""
    if path.endswith("_cents") and message.startswith("Input should be a valid integer"):
        return _NEEDED
    if path.endswith("_cents") and (match := _IN_CENTS.match(message)):
        return "This is too much" if match[1] == "less" else "This is too little"
    for begun, template in _SAID:
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
    return (
        plain_message if path == "body" or plain_message == _CHANGED else f"{path}: {plain_message}"
    )


def refused(error: ApiError) -> list[str]:
    """Return what people are told of a refusal where no form is beside it."""
    if isinstance(error, NamesFields):
        return [beside_no_field(issue["path"], issue["message"]) for issue in error.issues]
    return [_FOR_ADMINS if error.code in _ADMINS_ALONE else error.message]


def place_of(path: str, message: str) -> tuple[str, str]:
    """Return which field a message is about that was said of a whole body or a part of it."""
    first, _, rest = message.partition(" ")
    if path == "body" and "_" in first:
        return first, rest
    if match := _NEEDS.match(message):
        plain_message = _NEEDED if match[1] == "needs" else "Leave this empty with this choice"
        return f"{path}.{match[2]}", plain_message
    return path, message
