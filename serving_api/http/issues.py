"""Validation errors as issues: the field, what is wrong and what to send instead."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from serving_api.errors import Issue
from serving_api.kit.schemas import UNKNOWN_KIND, is_tag

_ITEMS_OF_TEXT = re.compile(
    r"Value (should have at (?:most|least) \d+) item(s?) after validation, not \d+"
)
"""How pydantic 2.14 names the length of a text that has a validator before its length."""

_ID_FIELD = re.compile(r"([a-z_]+)_ids?(?:\.[0-9]+)?$", re.ASCII)


def issues_of(errors: Sequence[Mapping[str, Any]], known: Iterable[str] = ()) -> list[Issue]:
    """Convert pydantic errors to issues, with paths without their location.

    `known` are the fields of the body, named where another one was sent.
    """
    return [_issue(error, known) for error in errors]


def _issue(error: Mapping[str, Any], known: Iterable[str]) -> Issue:
    location, *path = error["loc"]
    message = str(error["msg"]).removeprefix("Value error, ")
    if isinstance(error.get("input"), str):
        message = _ITEMS_OF_TEXT.sub(r"String \1 character\2", message)
    fields = [str(part) for part in path if not is_tag(part)]
    if error["type"].startswith(UNKNOWN_KIND):
        fields.append(error["type"].removeprefix(UNKNOWN_KIND))
    if error["type"] == "extra_forbidden" and known and len(fields) == 1:
        message = f"Unknown field. Use: {', '.join(sorted(known))}"
    if error["type"] == "uuid_parsing" and (of := _ID_FIELD.search(".".join(fields))):
        message += f". Lists return the `id` of each {of[1].replace('_', ' ')}"
    return Issue(path=".".join(fields) or str(location), message=message)
