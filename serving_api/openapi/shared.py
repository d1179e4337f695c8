"""Documents what routes declare: access, errors, headers, Idempotency-Key; and parts of it."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from serving_api.errors import (
    ApiError,
    DiskFull,
    Forbidden,
    HeadTooLarge,
    IdempotencyConflict,
    IdempotencyInProgress,
    IdempotencyKeyReused,
    InsufficientScope,
    InternalError,
    InvalidApiKey,
    InvalidBody,
    InvalidCursor,
    InvalidIdempotencyKey,
    InvalidParams,
    InvalidQuery,
    KeyCreatorBanned,
    KeyCreatorNotAdmin,
    KeyCreatorRemoved,
    KeyMemberRemoved,
    LostRace,
    NotFound,
    PayloadTooLarge,
    RateLimitExceeded,
    RequestTimeout,
    Unavailable,
    UriTooLong,
)
from serving_api.http.keyed_route import KeyedRoute
from serving_api.idempotency.declaration import HEADER, MAX_LENGTH, REPLAY_HEADER
from serving_api.kit.pagination import query_names

SCHEME = "ApiKey"
SECURITY_SCHEMES = {
    SCHEME: {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "svc_ followed by 64 lowercase hexadecimal digits",
        "description": "An API key of the organization. Its permissions are the intersection of its"
        " scopes and the current role of the member that the key acts as.",
    }
}

_KEY_ERRORS: tuple[type[ApiError], ...] = (
    InvalidQuery,
    InvalidApiKey,
    KeyMemberRemoved,
    KeyCreatorRemoved,
    KeyCreatorNotAdmin,
    KeyCreatorBanned,
    Forbidden,
    RateLimitExceeded,
    RequestTimeout,
    UriTooLong,
    HeadTooLarge,
    InternalError,
    Unavailable,
    DiskFull,
)
_BODY_ERRORS: tuple[type[ApiError], ...] = (InvalidBody, PayloadTooLarge)
_RETRY_ERRORS: tuple[type[ApiError], ...] = (
    InvalidIdempotencyKey,
    IdempotencyConflict,
    IdempotencyInProgress,
    IdempotencyKeyReused,
)

_RETRY_KEY = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "A unique text for this write. A request with the same key within 24 hours is"
    " not executed again and gets the first response.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH},
    "example": "3f1c2b4a-order-1009",
}
_REPLAYED = {
    "description": "`true` if this is the response to an earlier request with the same key.",
    "schema": {"type": "string", "enum": ["true"]},
}


def describe_access(operation: dict[str, Any], route: KeyedRoute) -> None:
    """Document the required access, as security and as text."""
    access = route.access
    roles: list[str] = [access.scope] if access.scope else []
    sentences = [operation["description"]]
    if access.scope:
        sentences.append(f"Scope: `{access.scope}`.")
    if access.needs_org_admin:
        roles.append("org_admin")
        sentences.append("Requires an org admin.")
    if access.platform_admin:
        roles.append("platform_admin")
        sentences.append("Requires a platform admin.")
    operation["security"] = [{SCHEME: roles}]
    operation["description"] = "\n\n".join(each for each in sentences if each)


def describe_retries(operation: dict[str, Any], route: KeyedRoute) -> None:
    """Document the support of Idempotency-Key."""
    if route.idempotent is None:
        return
    operation.setdefault("parameters", []).append(_RETRY_KEY)
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            response.setdefault("headers", {})[REPLAY_HEADER] = _REPLAYED


def shared_errors(route: KeyedRoute) -> Iterator[type[ApiError]]:
    """Yield the errors that follow from the route's declarations."""
    yield from _KEY_ERRORS
    yield from _input_errors(route)
    if route.access.scope:
        yield InsufficientScope
    if route.access.needs_org_admin:
        yield route.access.not_admin
    if route.idempotent is not None:
        yield from _RETRY_ERRORS
    if route.methods != {"GET"}:
        yield LostRace


def _input_errors(route: KeyedRoute) -> Iterator[type[ApiError]]:
    if "cursor" in query_names(route.dependant):
        yield InvalidCursor
    if route.dependant.path_params:
        yield NotFound
    if any(field.field_info.annotation is not str for field in route.dependant.path_params):
        yield InvalidParams
    if route.body_field is not None:
        yield from _BODY_ERRORS


_REFERENCE = re.compile(r'"#/components/schemas/(\w+)"')


def part_of(document: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the document with only the paths that start with `prefix`."""
    paths = {path: at for path, at in document["paths"].items() if path.startswith(prefix)}
    schemas = document["components"]["schemas"]
    components = {**document["components"], "schemas": referred(paths, schemas)}
    return {**document, "paths": paths, "components": components}


def referred(part: Any, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas that a part refers to, directly or indirectly, by name."""
    needed = _needed(part, schemas)
    return {name: schema for name, schema in schemas.items() if name in needed}


def _needed(part: Any, schemas: Mapping[str, Any]) -> set[str]:
    seen: set[str] = set()
    todo = _references(part)
    while todo:
        name = todo.pop()
        seen.add(name)
        todo |= _references(schemas[name]) - seen
    return seen


def _references(part: Any) -> set[str]:
    return set(_REFERENCE.findall(json.dumps(part)))
