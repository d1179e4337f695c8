"""The base of all errors, and one class for each kind of status."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, ClassVar, Self, TypedDict, cast

from pydantic import JsonValue

LONGEST_NAME = 100
"""Characters of an unknown name to compare, which takes time quadratic in the length."""


class Issue(TypedDict):
    """A problem of a request: the field's path (`accounts.0.handle`) and a message."""

    path: str
    message: str


def unknown_name(what: str, name: str, known: Iterable[str]) -> str:
    """Return the message of an Issue for an unknown parameter or field, with the closest one."""
    listed = sorted(known)
    closest = get_close_matches(name[:LONGEST_NAME], listed, n=1)
    guess = f" Did you mean {closest[0]}?" if closest else ""
    return f"Unknown {what}.{guess} Use: {', '.join(listed) or 'none'}"


class ApiError(Exception):
    """An error response. `meta` has the contract's details beside the code.

    `is_final`: an Idempotency-Key stores the response; false if the same request may succeed soon.
    `example` has the arguments of the documented example.
    """

    status = 500
    code = "internal_error"
    message = "Internal error. Try again"
    is_final: ClassVar[bool] = True
    headers: Mapping[str, str] = {}
    example: Mapping[str, Any] = {}

    def __init__(self, message: str | None = None, **meta: JsonValue) -> None:
        self.message = message or self.message
        self.meta: dict[str, JsonValue] = meta
        super().__init__(self.message)

    @classmethod
    def sample(cls) -> Self:
        return cls(**cls.example)

    @classmethod
    def define(cls, code: str, message: str, meaning: str = "", **content: Any) -> type[Self]:
        """Return a subclass without fields. `meaning` documents it if the message does not."""
        content |= {"__doc__": meaning or f"{message}.", "code": code, "message": message}
        return cast("type[Self]", type(code, (cls,), content))


class InternalError(ApiError):
    """An internal error; `meta.request_id` identifies it in the log."""


class InvalidRequest(ApiError):
    """The request is invalid in a way that no other code describes."""

    status = 400
    code = "invalid_request"
    message = "The request is not valid"


class Unauthorized(ApiError):
    """The caller is not authenticated."""

    status = 401
    code = "unauthorized"
    message = "Authentication is required"
    headers: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}


class Forbidden(ApiError):
    """The caller is authenticated but not allowed to do this."""

    status = 403
    code = "forbidden"
    message = "This is not allowed"


class NotFound(ApiError):
    """The resource does not exist or belongs to another organization."""

    status = 404
    code = "not_found"
    message = "Not found"

    @classmethod
    def named(cls, noun: str) -> "NotFound":
        return cls(f"{noun} not found")


class Conflict(ApiError):
    """The request conflicts with the current state."""

    status = 409
    code = "conflict"
    message = "This conflicts with the current state"


class Gone(ApiError):
    """The endpoint was removed."""

    status = 410
    code = "gone"
    message = "This endpoint was removed"


class Unprocessable(ApiError):
    """The request is well-formed but cannot be processed."""

    status = 422
    code = "unprocessable"
    message = "This cannot be processed"


class Unavailable(ApiError):
    """PostgreSQL or the file storage is temporarily unavailable.

    `Retry-After` has the seconds to wait.
    """

    status = 503
    code = "unavailable"
    message = "The service is temporarily unavailable. Try again"
    is_final = False
    retry_after = 5

    def __init__(self) -> None:
        super().__init__(retryAfter=self.retry_after)
        self.headers = {"Retry-After": str(self.retry_after)}
