"""Other errors with fields in `meta`, headers or a composed message."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors.base import ApiError, Forbidden, Gone, NotFound, Unprocessable


class LimitReached(ApiError):
    """A limit of the plan: `meta.limitKey`, `current` and `max`."""

    status = 402
    code = "limit_reached"
    example: Mapping[str, Any] = {"limit_key": "max_accounts_per_org", "current": 10, "maximum": 10}

    def __init__(self, limit_key: str, *, current: int, maximum: int) -> None:
        super().__init__(
            f"The plan allows {maximum} ({limit_key}). Delete one or upgrade",
            limitKey=limit_key,
            current=current,
            max=maximum,
        )


class InsufficientScope(Forbidden):
    """The key lacks a scope."""

    code = "insufficient_scope"
    example: Mapping[str, Any] = {"required": "write", "granted": ["read"]}

    def __init__(self, required: str, granted: Sequence[str]) -> None:
        super().__init__(
            f"This requires a key with the scope '{required}'",
            required=required,
            granted=list(granted),
        )


class InsufficientRole(Forbidden):
    """The member that the key acts as is not an org admin."""

    code = "insufficient_role"

    def __init__(self, **meta: JsonValue) -> None:
        super().__init__(
            "This requires a key that acts as an org admin", required="org_admin", **meta
        )


class PlanFeatureUnavailable(Forbidden):
    """The organization's plan does not include `meta.feature`."""

    code = "plan_feature_unavailable"
    example: Mapping[str, Any] = {"feature": "comment_insights"}

    def __init__(self, feature: str) -> None:
        super().__init__("The organization's plan does not include this", feature=feature)


class RouteNotFound(NotFound):
    """No endpoint has this path with any method; `meta.hint` is one that may be meant."""

    code = "route_not_found"
    example: Mapping[str, Any] = {
        "method": "GET",
        "path": "/api/v2/creatros",
        "hint": "/api/v2/creators",
    }

    def __init__(self, *, method: str, path: str, hint: str | None) -> None:
        super().__init__(
            f"No endpoint has the path {path}" + (f". Did you mean {hint}?" if hint else ""),
            method=method,
            path=path,
            hint=hint,
            openapi="/api/v2/openapi.json",
        )


class MethodNotAllowed(ApiError):
    """The path does not support the method; `Allow` lists those it does."""

    status = 405
    code = "method_not_allowed"
    example: Mapping[str, Any] = {"method": "PUT", "allowed": ["GET"]}

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        methods = ", ".join(allowed)
        super().__init__(f"{method} is not supported here. Use {methods}", allowed=list(allowed))
        self.headers = {"Allow": methods}


class ApiVersionRemoved(Gone):
    """Version 1 of the API; `meta.successor` is the current version."""

    code = "api_version_removed"
    headers: Mapping[str, str] = {"Link": '</api/v2>; rel="successor-version"'}

    def __init__(self) -> None:
        super().__init__("Version 1 of the API was removed. Use /api/v2", successor="/api/v2")


class PayloadTooLarge(ApiError):
    """The request body is larger than the endpoint's limit."""

    status = 413
    code = "payload_too_large"
    example: Mapping[str, Any] = {"message": "The request body can have at most 1,000,000 bytes"}

    @classmethod
    def than(cls, most: int) -> Self:
        """Return the error for a body above `most` bytes."""
        return cls(f"The request body can have at most {most:,} bytes")


class RateLimitExceeded(ApiError):
    """A rate limit: `meta.bucket` names it, and `Retry-After` has the seconds to wait."""

    status = 429
    code = "rate_limit_exceeded"
    is_final = False
    example: Mapping[str, Any] = {"bucket": "apiKey", "retry_after": 12}

    def __init__(self, bucket: str, *, retry_after: int) -> None:
        super().__init__(
            f"Rate limit '{bucket}' exceeded. Try again in {retry_after} seconds",
            bucket=bucket,
            retryAfter=retry_after,
        )
        self.headers = {"Retry-After": str(retry_after)}


class TooManyTags(Unprocessable):
    """Items would exceed `meta.max` tags; nothing was written."""

    code = "too_many_tags"
    example: Mapping[str, Any] = {
        "item_ids": [UUID("01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e")],
        "maximum": 20,
    }

    def __init__(self, item_ids: Iterable[UUID], maximum: int) -> None:
        super().__init__(
            f"An item can have at most {maximum} tags",
            max=maximum,
            entity_ids=[*sorted(map(str, item_ids))],
        )


class TagVocabularyFull(Unprocessable):
    """The organization has the maximum number of tags for this type of item."""

    code = "tag_vocabulary_full"
    example: Mapping[str, Any] = {"entity_type": "creator", "current": 500, "maximum": 500}

    def __init__(self, entity_type: str, *, current: int, maximum: int) -> None:
        super().__init__(
            f"There can be at most {maximum} tags for one type of item",
            entity_type=entity_type,
            current=current,
            max=maximum,
        )


class DiskFull(ApiError):
    """A disk of the service is full: `meta.disk`. Reads that fit into memory still succeed."""

    status = 507
    code = "disk_full"
    is_final = False
    example: Mapping[str, Any] = {"disk": "the data folder"}

    def __init__(self, disk: str) -> None:
        super().__init__(
            f"The disk of {disk} is full, and nothing was written. The service's operator has to"
            " free space",
            disk=disk,
        )
