"""Platform administration: all organizations and users."""

from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import select

from serving_api.auth.dependencies import PlatformAdmin, ReadingPlatformAdmin
from serving_api.errors import Conflict
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import require_row
from serving_api.kit.schemas import Changes, Flag, Params, unsent
from serving_api.openapi import answers
from serving_api.resources.organization import organizations
from serving_api.resources.organization.organizations import Organization, PlanName
from warehouse.fetch_schedule.freshness import WORDS, Freshness
from warehouse.operational import models
from warehouse.operational.dated import set_conversion_payouts
from warehouse.operational.models import OauthGrant, User
from warehouse.operational.tracked_videos import hold_limit
from warehouse.operational.users import end_consents


class PlatformChanges(Changes):
    """Changes of a platform admin to an organization."""

    plan: PlanName = unsent()
    freshness: Freshness = unsent()
    is_suspended: Flag = unsent()
    conversion_payouts_enabled: Flag = unsent()


class PlatformOrganization(Organization):
    """An organization with the settings of platform admins."""

    conversion_payouts_enabled: bool = Field(description="If false, conversions create no accruals")
    freshness: Freshness = Field(
        description="How often posts are fetched, at least every 28 hours. "
        + " ".join(f"`{name}`: {words}" for name, words in WORDS.items())
    )


class PlatformUser(BaseModel):
    """A user of any organization."""

    id: UUID
    display_name: str
    email: str
    is_banned: bool
    is_platform_admin: bool


def set_ban(context: WriteContext, user_id: UUID, *, is_banned: bool) -> PlatformUser:
    """Ban a user, or end the ban. Can be repeated. Raises NotFound, Conflict for oneself.

    A ban permanently ends the user's consents for programs.
    """
    user = require_row(
        context.session.scalar(
            select(User).where(User.id == user_id).with_for_update(key_share=True)
        ),
        "User",
    )
    if is_banned and user_id == context.caller.user_id:
        raise Conflict("You cannot ban yourself", reason="own_user")
    user.is_banned = is_banned
    context.session.flush()
    if is_banned:
        end_consents(context.session, OauthGrant.user_id == user_id)
    return PlatformUser.model_validate(user, from_attributes=True)


def _organization(row: models.Organization) -> PlatformOrganization:
    return PlatformOrganization.model_validate(row, from_attributes=True)


router = keyed_router("platform admin")


@router.get("/admin/organizations")
def list_all_organizations(
    *, context: ReadingPlatformAdmin, query: Params[PageQuery]
) -> Page[PlatformOrganization]:
    """List all organizations. The newest comes first."""
    everyone = select(models.Organization)
    page_slice = read_slice(context.session, everyone, organizations.NEWEST_FIRST, query)
    return page_slice.page(lambda rows: [_organization(row) for row in rows])


@router.patch("/admin/organizations/{organization_id}", responses=answers(Conflict))
def change_any_organization(
    *, context: PlatformAdmin, organization_id: UUID, changes: PlatformChanges
) -> Envelope[PlatformOrganization]:
    """Change any organization's plan, status, freshness or payouts."""
    # A plan with fewer tracked videos pauses the oldest at once; one with more resumes none.
    # A suspension permanently ends the members' consents for programs.
    organization = organizations.lock(context.session, organization_id)
    shuts_out = changes.sends("is_suspended") and changes.is_suspended
    if shuts_out and organization_id == context.organization_id:
        raise Conflict("You cannot suspend your own organization", reason="own_organization")
    changes.apply_to(organization, "plan", "is_suspended", "freshness")
    if shuts_out:
        context.session.flush()
        end_consents(context.session, OauthGrant.organization_id == organization_id)
    if changes.sends("conversion_payouts_enabled"):
        is_enabled = changes.conversion_payouts_enabled
        set_conversion_payouts(context.session, organization, context.now, is_enabled=is_enabled)
    hold_limit(context.session, organization_id)
    return Envelope(data=_organization(organization))


@router.post("/admin/users/{user_id}/ban", responses=answers(Conflict))
def ban_user(*, context: PlatformAdmin, user_id: UUID) -> Envelope[PlatformUser]:
    """Ban a user in all organizations."""
    return Envelope(data=set_ban(context, user_id, is_banned=True))


@router.post("/admin/users/{user_id}/unban", responses=answers(Conflict))
def unban_user(*, context: PlatformAdmin, user_id: UUID) -> Envelope[PlatformUser]:
    """End a user's ban."""
    return Envelope(data=set_ban(context, user_id, is_banned=False))
