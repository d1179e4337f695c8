"""The scope of a goal or payout rule: all accounts, a platform, or an account."""

from typing import Literal
from uuid import UUID

from pydantic import Field, ValidationInfo, field_validator

from serving_api.kit.schemas import Body, Platform

PlatformScope = Literal["all", "platform", "account"]

_NAMED_BY: dict[str, str | None] = {"all": None, "platform": "platform", "account": "account_id"}
"""The field that each scope requires; the others are not allowed."""


class Scoped(Body):
    """A scope and its platform or account (contract, scope validation)."""

    platform_scope: PlatformScope | None = Field(default=None, description="Default `all`")
    platform: Platform | None = Field(
        default=None,
        validate_default=True,
        description="With scope `platform` only",
        examples=[None],
    )
    account_id: UUID | None = Field(
        default=None,
        validate_default=True,
        description="With scope `account` only",
        examples=[None],
    )

    @field_validator("platform", "account_id")
    @classmethod
    def _fits_the_scope(
        cls, named: Platform | UUID | None, info: ValidationInfo
    ) -> Platform | UUID | None:
        if "platform_scope" not in info.data:
            return named
        scope = info.data["platform_scope"] or "all"
        is_needed = _NAMED_BY[scope] == info.field_name
        if (named is not None) != is_needed:
            verb = "needs" if is_needed else "takes no"
            raise ValueError(f"platform_scope {scope} {verb} {info.field_name}")
        if named == "youtube":
            raise ValueError("platform youtube is not supported yet")
        return named
