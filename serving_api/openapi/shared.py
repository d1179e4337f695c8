"""What a route's declarations say to the document: who may call, errors, headers, the retry key."""

from collections.abc import Iterator
from typing import Any

from serving_api.errors import (
    ApiError,
    Forbidden,
    IdempotencyConflict,
    IdempotencyInProgress,
    IdempotencyKeyReused,
    InsufficientScope,
    InternalError,
    InvalidApiKey,
    InvalidBody,
    InvalidIdempotencyKey,
    InvalidParams,
    InvalidQuery,
    KeyCreatorBanned,
    KeyCreatorNotAdmin,
    KeyCreatorRemoved,
    KeyMemberRemoved,
    LostRace,
    PayloadTooLarge,
    RateLimitExceeded,
    Unavailable,
)
from serving_api.http.keyed_route import KeyedRoute
from serving_api.idempotency.declaration import HEADER, MAX_LENGTH, REPLAY_HEADER

SCHEME = "ApiKey"
SECURITY_SCHEMES = {
    SCHEME: {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "svc_ followed by 64 lowercase hexadecimal digits",
        "description": "An API key of the organization. Its scopes are a ceiling: what applies also"
        " follows the present role of the member that the key acts as.",
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
    InternalError,
    Unavailable,
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
    "description": "Any text of your own that names this write. Sent again with the same key within"
    " 24 hours, it is not done again: the first answer is repeated.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH},
    "example": "3f1c2b4a-order-1009",
}
_REPLAYED = {
    "description": "`true` where this is the answer to an earlier request with the same key.",
    "schema": {"type": "string", "enum": ["true"]},
}


_IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The `ETag` of an answer to the same request: 304 where it still holds.",
    "schema": {"type": "string"},
    "example": '"2f7c0b1de04c3a5f2f7c0b1de04c3a5f-gzip.9d1c4e0f6a2b7358"',
}
_ETAG = {
    "description": "Names this answer: another one after each change of what it shows.",
    "schema": {"type": "string"},
}


def describe_access(operation: dict[str, Any], route: KeyedRoute) -> None:
    """Tell who may call: as security, and in words."""
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
    """Tell that a route takes an Idempotency-Key, and what it then answers."""
    if route.idempotent is None:
        return
    operation.setdefault("parameters", []).append(_RETRY_KEY)
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            response.setdefault("headers", {})[REPLAY_HEADER] = _REPLAYED


def describe_repeats(operation: dict[str, Any], route: KeyedRoute) -> None:
    """Tell that an answer has a tag, and how it is not sent again."""
    if route.repeatable is None:
        return
    operation.setdefault("parameters", []).append(_IF_NONE_MATCH)
    responses = operation["responses"]
    responses["304"] = {"description": "The answer that the caller has still holds."}
    for status in ("200", "304"):
        responses[status].setdefault("headers", {})["ETag"] = _ETAG


def shared_errors(route: KeyedRoute) -> Iterator[type[ApiError]]:
    """Return the errors that follow from what the route is."""
    yield from _KEY_ERRORS
    if route.access.scope:
        yield InsufficientScope
    if route.access.needs_org_admin:
        yield route.access.not_admin
    if any(field.field_info.annotation is not str for field in route.dependant.path_params):
        yield InvalidParams
    if route.body_field is not None:
        yield from _BODY_ERRORS
    if route.idempotent is not None:
        yield from _RETRY_ERRORS
    if route.methods != {"GET"}:
        yield LostRace
