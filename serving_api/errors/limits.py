"""402, 408, 413, 414, 429 and 431: a limit of plan, time, size or rate."""
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
            f"The plan allows {maximum} ({limit_key}). Delete one or upgrade",
            limitKey=limit_key,
            current=current,
            max=maximum,
        )

    @classmethod
    def sample(cls) -> Self:
        return cls("max_accounts_per_org", current=10, maximum=10)


class RetentionExceeded(ApiError):
    """The requested dates are before the history that the plan includes."""

    status = 402
    code = "retention_exceeded"
    message = "The plan does not include history this old"


class PayloadTooLarge(ApiError):
    """The request body is larger than the endpoint's limit."""

    status = 413
    code = "payload_too_large"

    @classmethod
    def than(cls, most: int) -> Self:
        """Return the error for a body above `most` bytes."""
        return cls(f"The request body can have at most {most:,} bytes")

    @classmethod
    def sample(cls) -> Self:
        return cls.than(1_000_000)


class RequestTimeout(ApiError):
    """The rest of a request did not arrive in time."""

    status = 408
    code = "request_timeout"
    message = "The request did not arrive in time. Send it again"
    is_final = False


class UriTooLong(ApiError):
    """Path and query are longer than the limit."""

    status = 414
    code = "uri_too_long"
    message = "Path and query can have at most 8 KiB together"


class HeadTooLarge(ApiError):
    """Headers or trailers exceed the limit."""

    status = 431
    code = "headers_too_large"
    message = "A request can have at most 200 headers and 64 KiB of them"


class RateLimitExceeded(ApiError):
    """A rate limit: `meta.bucket` names it, and `Retry-After` has the seconds to wait."""

    status = 429
    code = "rate_limit_exceeded"
    is_final = False

    def __init__(self, bucket: str, *, retry_after: int) -> None:
        self._retry_after = retry_after
        super().__init__(
            f"Rate limit '{bucket}' exceeded. Try again in {retry_after} seconds",
            bucket=bucket,
            retryAfter=retry_after,
        )

    @property
    def headers(self) -> Mapping[str, str]:
        """Retry-After (RFC 9110)."""
        return {"Retry-After": str(self._retry_after)}

    @classmethod
    def sample(cls) -> Self:
        return cls("apiKey", retry_after=12)
