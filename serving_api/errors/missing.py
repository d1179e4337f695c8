"""404, 405 and 410: the resource does not exist."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Mapping, Sequence
from typing import Self

from serving_api.errors.base import ApiError


class NotFound(ApiError):
    """The resource does not exist or belongs to another organization."""

    status = 404
    code = "not_found"
    message = "Not found"

    @classmethod
    def named(cls, noun: str) -> "NotFound":
        """Return the error for a kind of resource."""
        return cls(f"{noun} not found")


class CreatorNotFound(NotFound):
    """The project has no such creator."""

    code = "creator_not_found"
    message = "Creator not found in the project"


class AccountNotFound(NotFound):
    """The project has no such account."""

    code = "account_not_found"
    message = "Account not found in the project"


class VideoNotFound(NotFound):
    """The organization has no such video."""

    code = "video_not_found"
    message = "Video not found"


class ConversionEventNotFound(NotFound):
    """The project has no such conversion event."""

    code = "conversion_event_not_found"
    message = "Conversion event not found in the project"


class RouteNotFound(NotFound):
    """No endpoint has this path with any method; `meta.hint` is the most similar path."""

    code = "route_not_found"

    def __init__(self, *, method: str, path: str, hint: str | None) -> None:
        super().__init__(
            f"No endpoint has the path {path}",
            method=method,
            path=path,
            hint=hint,
            openapi="/api/v2/openapi.json",
        )

    @classmethod
    def sample(cls) -> Self:
        return cls(method="GET", path="/api/v2/creatros", hint="/api/v2/creators")


class MethodNotAllowed(ApiError):
    """The path does not support the method; `Allow` lists those it does."""

    status = 405
    code = "method_not_allowed"

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        self._allow = ", ".join(allowed)
        super().__init__(
            f"{method} is not supported here. Use {self._allow}", allowed=list(allowed)
        )

    @property
    def headers(self) -> Mapping[str, str]:
        """Allow (RFC 9110)."""
        return {"Allow": self._allow}

    @classmethod
    def sample(cls) -> Self:
        return cls("PUT", ["GET"])


class Gone(ApiError):
    """The endpoint was removed."""

    status = 410
    code = "gone"
    message = "This endpoint was removed"


class ApiVersionRemoved(Gone):
    """Version 1 of the API; `meta.successor` is the current version."""

    code = "api_version_removed"

    def __init__(self) -> None:
        super().__init__("Version 1 of the API was removed. Use /api/v2", successor="/api/v2")

    @property
    def headers(self) -> Mapping[str, str]:
        """Link to the successor version (RFC 8288)."""
        return {"Link": '</api/v2>; rel="successor-version"'}
