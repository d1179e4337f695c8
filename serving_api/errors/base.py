"""What every error is: a status, a stable code, a sentence, and what `meta` adds."""

from collections.abc import Mapping
from typing import ClassVar, Self, TypedDict

from pydantic import JsonValue


class Issue(TypedDict):
    """One thing wrong with a request: the field's path (`accounts.0.handle`) and what is wrong."""

    path: str
    message: str


class ApiError(Exception):
    """An answer other than success. `meta` holds what the contract adds beside the code.

    `is_final` tells whether an Idempotency-Key keeps the answer: not where the same request may
    succeed a moment later. Classes with parameters of their own give an example in `sample`.
    """

    status = 500
    code = "internal_error"
    message = "Something went wrong on our side"
    is_final: ClassVar[bool] = True

    def __init__(self, message: str | None = None, **meta: JsonValue) -> None:
        self.message = message or self.message
        self.meta: dict[str, JsonValue] = meta
        super().__init__(self.message)

    @property
    def headers(self) -> Mapping[str, str]:
        """Response headers that go with the error."""
        return {}

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls()


class InternalError(ApiError):
    """A fault of ours: `meta.request_id` finds it in the log."""


class Unavailable(ApiError):  # noqa: N818 - named after its code
    """PostgreSQL, or the storage of files, is away for a moment.

    `Retry-After` says when to try again (seconds).
    """

    status = 503
    code = "unavailable"
    message = "The service is not available for a moment; try again"
    is_final = False
    retry_after = 5

    def __init__(self) -> None:
        super().__init__(retryAfter=self.retry_after)

    @property
    def headers(self) -> Mapping[str, str]:
        """RFC 9110: when to come back."""
        return {"Retry-After": str(self.retry_after)}


class Busy(Unavailable):
    """A place, a lock or an answer did not come in time; nothing was written."""

    message = "The service is too busy for this at the moment; nothing was written. Try again"
    retry_after = 2


class OutdatedNumbers(Unavailable):
    """The service is newer than the publication, which lacks what the endpoint reads."""

    message = (
        "The numbers here were computed by an earlier version of the service, which did not have"
        " all that this endpoint tells; the next run computes them"
    )
    retry_after = 300


class NumbersNotHereYet(Unavailable):
    """A node was asked for a shard's publication that it is only now to take from the bucket."""

    message = "This server is only now fetching these numbers; try again"
