"""The base of all errors: status, stable code, message and `meta`."""

from collections.abc import Mapping
from typing import ClassVar, Self, TypedDict

from pydantic import JsonValue


class Issue(TypedDict):
    """A problem of a request: the field's path (`accounts.0.handle`) and a message."""

    path: str
    message: str


class ApiError(Exception):
    """An error response. `meta` has the contract's details beside the code.

    `is_final`: an Idempotency-Key stores the response; false if the same request may succeed soon.
    Classes with parameters override `sample`.
    """

    status = 500
    code = "internal_error"
    message = "Internal error. Try again"
    is_final: ClassVar[bool] = True

    def __init__(self, message: str | None = None, **meta: JsonValue) -> None:
        self.message = message or self.message
        self.meta: dict[str, JsonValue] = meta
        super().__init__(self.message)

    @property
    def headers(self) -> Mapping[str, str]:
        return {}

    @classmethod
    def sample(cls) -> Self:
        return cls()


class InternalError(ApiError):
    """An internal error; `meta.request_id` identifies it in the log."""


class Unavailable(ApiError):  # noqa: N818 - named after its code
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

    @property
    def headers(self) -> Mapping[str, str]:
        """Retry-After (RFC 9110)."""
        return {"Retry-After": str(self.retry_after)}


class Busy(Unavailable):
    """A slot, a lock or a response timed out; nothing was written."""

    message = "The service is too busy; nothing was written. Try again"
    retry_after = 2


class OutdatedNumbers(Unavailable):
    """The publication was built by an older version and lacks columns that the endpoint reads."""

    message = (
        "The current numbers were computed by an earlier version, which lacks data of this"
        " endpoint. The next pipeline run computes it"
    )
    retry_after = 300


class NumbersNotHereYet(Unavailable):
    """The node is still fetching the shard's publication from the bucket."""

    message = "This server is still fetching these numbers. Try again"
