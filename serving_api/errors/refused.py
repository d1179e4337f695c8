"""401 and 403 errors."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import JsonValue

from serving_api.errors.base import ApiError


class Unauthorized(ApiError):
    """The caller is not authenticated."""

    status = 401
    code = "unauthorized"
    message = "Authentication is required"

    @property
    def headers(self) -> Mapping[str, str]:
        """WWW-Authenticate (RFC 9110)."""
        return {"WWW-Authenticate": "Bearer"}


class InvalidApiKey(Unauthorized):
    """The key is missing, malformed, unknown, revoked or expired."""

    code = "invalid_api_key"
    message = "Send a valid API key: Authorization: Bearer svc_..."


class KeyMemberRemoved(Unauthorized):
    """The member that the key acts as left the organization."""

    code = "key_member_removed"
    message = "The member this key acts as is no longer in the organization"


class KeyCreatorRemoved(Unauthorized):
    """The admin who created the key for another member left the organization."""

    code = "key_creator_removed"
    message = "The admin who created this key is no longer in the organization"


class KeyCreatorNotAdmin(Unauthorized):
    """The admin who created the key for another member is no longer an admin."""

    code = "key_creator_not_admin"
    message = "The member who created this key is no longer an org admin"


class KeyCreatorBanned(Unauthorized):
    """The admin who created the key for another member is banned."""

    code = "key_creator_banned"
    message = "The member who created this key is suspended"


class Forbidden(ApiError):
    """The caller is authenticated but not allowed to do this."""

    status = 403
    code = "forbidden"
    message = "This is not allowed"


class InsufficientScope(Forbidden):
    """The key lacks a scope."""

    code = "insufficient_scope"

    def __init__(self, required: str, granted: Sequence[str]) -> None:
        super().__init__(
            f"This requires a key with the scope '{required}'",
            required=required,
            granted=list(granted),
        )

    @classmethod
    def sample(cls) -> Self:
        return cls("write", ["read"])


class InsufficientRole(Forbidden):
    """The member that the key acts as is not an org admin."""

    code = "insufficient_role"

    def __init__(self, **meta: JsonValue) -> None:
        super().__init__(
            "This requires a key that acts as an org admin",
            required="org_admin",
            **meta,
        )


class NotAnAdmin(Forbidden):
    """Like InsufficientRole, with the code that the contract has for icons."""

    message = "This requires a key that acts as an org admin"


class CreatorBanned(Forbidden):
    """The platform banned the account, according to its latest profile fetch."""

    code = "creator_banned"
    message = "The platform has banned this account"


class PlanFeatureUnavailable(Forbidden):
    """The organization's plan does not include `meta.feature`."""

    code = "plan_feature_unavailable"

    def __init__(self, feature: str) -> None:
        super().__init__("The organization's plan does not include this", feature=feature)

    @classmethod
    def sample(cls) -> Self:
        return cls("comment_insights")


class NotYourDocument(Forbidden):
    """Only the member can write the member's notes."""

    code = "not_your_document"
    message = "Only the member can write these notes"
