"""Bodies and answers below `/admin` (decisions.md, platform admin)."""

from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Changes, Flag, unsent
from serving_api.resources.organization.organizations.schemas import Organization, PlanName
from warehouse.looks.freshness import Freshness


class PlatformChanges(Changes):
    """What a PATCH may change of any organization."""

    plan: PlanName = unsent()
    freshness: Freshness = unsent()
    is_suspended: Flag = unsent()
    conversion_payouts_enabled: Flag = unsent()


class PlatformOrganization(Organization):
    """An organization with what only platform admins set."""

    conversion_payouts_enabled: bool = Field(description="Off: conversions create no accruals")
    freshness: Freshness = Field(
        description="How often posts are looked at: each look costs requests. Nothing is left "
        "alone for longer than 28 hours"
    )


class PlatformUser(BaseModel):
    """A user, whatever organizations it belongs to."""

    id: UUID
    display_name: str
    email: str
    is_banned: bool
    is_platform_admin: bool
