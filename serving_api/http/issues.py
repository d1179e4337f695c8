"""Validation errors as issues: the field, what is wrong and what to send instead."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, Tag

from serving_api.errors import Issue, unknown_name
from serving_api.kit.schemas import UNKNOWN_KIND, is_tag

_ITEMS_OF_TEXT = re.compile(
    r"Value (should have at (?:most|least) \d+) item(s?) after validation, not \d+"
)
"""How pydantic 2.14 names the length of a text that has a validator before its length."""

_ID_FIELD = re.compile(r"([a-z_]+)_ids?(?:\.[0-9]+)?$", re.ASCII)


def issues_of(errors: Sequence[Mapping[str, Any]], body: Any = None) -> list[Issue]:
    """Convert pydantic errors to issues, with paths without their location.

    `body` is the type of the body, whose fields are named where another one was sent.
    """
    return [_issue(error, body) for error in errors]


def _issue(error: Mapping[str, Any], body: Any) -> Issue:
    location, *path = error["loc"]
    message = str(error["msg"]).removeprefix("Value error, ")
    if isinstance(error.get("input"), str):
        message = _ITEMS_OF_TEXT.sub(r"String \1 character\2", message)
    fields = [str(part) for part in path if not is_tag(part)]
    if error["type"].startswith(UNKNOWN_KIND):
        fields.append(error["type"].removeprefix(UNKNOWN_KIND))
    if error["type"] == "extra_forbidden" and (known := _fields_beside(body, path)):
        message = unknown_name("field", fields[-1], known)
    if error["type"] == "uuid_parsing" and (of := _ID_FIELD.search(".".join(fields))):
        message += f". Lists return the `id` of each {of[1].replace('_', ' ')}"
    return Issue(path=".".join(fields) or str(location), message=message)


def _fields_beside(body: Any, path: Sequence[int | str]) -> set[str]:
    """Return the fields that may stand where the last part of a path does."""
    tags = {part for part in path if is_tag(part)}
    models = [*_models_in(body, tags)]
    for name in (part for part in path[:-1] if isinstance(part, str) and not is_tag(part)):
        inner = [outer.model_fields[name] for outer in models if name in outer.model_fields]
        models = [model for field in inner for model in _models_in(field.annotation, tags)]
    return {field.alias or name for model in models for name, field in model.model_fields.items()}


def _models_in(kind: Any, tags: Collection[int | str]) -> Iterator[type[BaseModel]]:
    """Yield the models of a type: those of lists and unions, there only the kinds with `tags`."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
        return
    parts = get_args(kind)
    if all(part.tag in tags for part in parts if isinstance(part, Tag)):
        for part in parts:
            yield from _models_in(part, tags)
