"""401 and 403: who asks may not."""
# ruff: noqa: N818 - named after the codes of the contract, which carry no "error"

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import JsonValue

from serving_api.errors.base import ApiError


class Unauthorized(ApiError):
    """The caller is not known."""

    status = 401
    code = "unauthorized"
    message = "Authentication is required"

    @property
    def headers(self) -> Mapping[str, str]:
        """RFC 9110 asks every 401 to name the scheme."""
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
    """The admin who made the key for someone else left the organization."""

    code = "key_creator_removed"
    message = "The admin who created this key is no longer in the organization"


class KeyCreatorNotAdmin(Unauthorized):
    """The admin who made the key for someone else is an admin no longer."""

    code = "key_creator_not_admin"
    message = "The member who created this key is no longer an org admin"


class KeyCreatorBanned(Unauthorized):
    """The admin who made the key for someone else is banned."""

    code = "key_creator_banned"
    message = "The member who created this key is suspended"


class Forbidden(ApiError):
    """The caller is known and may not do this."""

    status = 403
    code = "forbidden"
    message = "This is not allowed"


class InsufficientScope(Forbidden):
    """The key lacks a scope."""

    code = "insufficient_scope"

    def __init__(self, required: str, granted: Sequence[str]) -> None:
        super().__init__(
            f"This needs a key with the scope '{required}'",
            required=required,
            granted=list(granted),
        )

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls("write", ["read"])


class InsufficientRole(Forbidden):
    """The member that the key acts as is not an org admin."""

    code = "insufficient_role"

    def __init__(self, **meta: JsonValue) -> None:
        super().__init__(
            "This needs a key that acts as an org admin",
            required="org_admin",
            **meta,
        )


class NotAnAdmin(Forbidden):
    """As InsufficientRole, where the contract gives icons the plain code."""

    message = "This needs a key that acts as an org admin"


class CreatorBanned(Forbidden):
    """The platform banned the account, as the last look at its profile found."""

    code = "creator_banned"
    message = "The platform has banned this account"


class PlanFeatureUnavailable(Forbidden):
    """The organization's plan does not include the feature, which `meta.feature` names."""

    code = "plan_feature_unavailable"

    def __init__(self, feature: str) -> None:
        super().__init__("The organization's plan does not include this", feature=feature)

    @classmethod
    def sample(cls) -> Self:
        """Return an example for the OpenAPI document."""
        return cls("comment_insights")


class NotYourDocument(Forbidden):
    """The notes of a member are written by that member alone."""

    code = "not_your_document"
    message = "Only the member itself can write its notes"
