"""402, 408, 413, 414, 429 and 431: more than the plan, a time, a size or a pace allows."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Mapping
from typing import Self

from serving_api.errors.base import ApiError


class LimitReached(ApiError):
    """A limit of the plan: `meta.limitKey`, `current` and `max`."""

    status = 402
    code = "limit_reached"

    def __init__(self, limit_key: str, *, current: int, maximum: int) -> None:
        super().__init__(
            f"The plan's limit {limit_key} of {maximum} is reached",
            limitKey=limit_key,
            current=current,
            max=maximum,
        )

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls("max_accounts_per_org", current=10, maximum=10)


class RetentionExceeded(ApiError):
    """The dates asked for lie before the history that the plan keeps."""

    status = 402
    code = "retention_exceeded"
    message = "The plan does not reach back this far"


class PayloadTooLarge(ApiError):
    """The request's body is larger than the endpoint reads."""

    status = 413
    code = "payload_too_large"

    @classmethod
    def than(cls, most: int) -> Self:
        """Return the refusal of a body of more bytes."""
        return cls(f"A request body has at most {most:,} bytes here")

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls.than(1_000_000)


class RequestTimeout(ApiError):
    """A request was begun, and its end did not come in time."""

    status = 408
    code = "request_timeout"
    message = "The request did not come in time; send it again"
    is_final = False


class UriTooLong(ApiError):
    """Path and query together are longer than the API reads."""

    status = 414
    code = "uri_too_long"
    message = "Path and query have at most 8 KiB together"


class HeadTooLarge(ApiError):
    """The headers, or the trailers of a body, are more than the API reads."""

    status = 431
    code = "headers_too_large"
    message = "The headers of a request have at most 64 KiB, and are at most 200"


class RateLimitExceeded(ApiError):
    """An allowance is used up: `meta.bucket` names it, `Retry-After` says until when (seconds)."""

    status = 429
    code = "rate_limit_exceeded"
    is_final = False

    def __init__(self, bucket: str, *, retry_after: int) -> None:
        self._retry_after = retry_after
        super().__init__(
            f"The allowance '{bucket}' is used up; try again in {retry_after} seconds",
            bucket=bucket,
            retryAfter=retry_after,
        )

    @property
    def headers(self) -> Mapping[str, str]:
        """RFC 9110: when to come back."""
        return {"Retry-After": str(self._retry_after)}

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls("apiKey", retry_after=12)
