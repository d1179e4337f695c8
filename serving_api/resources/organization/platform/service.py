"""Organizations and users as the platform's admins see them: these alone cross organizations."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.errors import Conflict, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.errand import WriteErrand
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.resources.organization.organizations import repository as organizations
from serving_api.resources.organization.platform import schemas
from warehouse.operational.base import business_now
from warehouse.operational.consents import end_consents
from warehouse.operational.dated import set_conversion_payouts
from warehouse.operational.models import OauthGrant, Organization, User
from warehouse.operational.tracked_videos import hold_limit


def list_organizations(session: Session, query: PageQuery) -> Page[schemas.PlatformOrganization]:
    """Return a page of all organizations, newest first."""
    found = read_slice(session, select(Organization), organizations.NEWEST_FIRST, query)
    return found.page(lambda rows: [_organization(row) for row in rows])


def change_organization(
    errand: WriteErrand,
    organization_id: UUID,
    changes: schemas.PlatformChanges,
) -> schemas.PlatformOrganization:
    """Change plan or standing of an organization. Raises NotFound.

    A plan with fewer tracked videos pauses the oldest at once; one with more resumes none. A
    suspension ends what members let programs do, for good.
    Raises Conflict where the caller would suspend its own and so shut itself out.
    """
    organization = organizations.lock(errand.session, organization_id)
    shuts_out = changes.sends("is_suspended") and changes.is_suspended
    if shuts_out and organization_id == errand.organization_id:
        raise Conflict("You would suspend your own organization", reason="own_organization")
    for name in ("plan", "is_suspended", "freshness"):
        if changes.sends(name):
            setattr(organization, name, getattr(changes, name))
    if shuts_out:
        errand.session.flush()
        end_consents(errand.session, OauthGrant.organization_id == organization_id)
    if changes.sends("conversion_payouts_enabled"):
        is_enabled = changes.conversion_payouts_enabled
        set_conversion_payouts(
            errand.session, organization, business_now(errand.session), is_enabled=is_enabled
        )
    hold_limit(errand.session, organization_id)
    return _organization(organization)


def set_ban(errand: WriteErrand, user_id: UUID, *, is_banned: bool) -> schemas.PlatformUser:
    """Ban a user, or end the ban; repeating it succeeds. Raises NotFound, Conflict for oneself.

    A ban ends what the user let programs do, for good.
    """
    user = errand.session.scalar(
        select(User).where(User.id == user_id).with_for_update(key_share=True)
    )
    if user is None:
        raise NotFound.named("User")
    if is_banned and user_id == errand.caller.user_id:
        raise Conflict("You cannot ban yourself", reason="own_user")
    user.is_banned = is_banned
    errand.session.flush()
    if is_banned:
        end_consents(errand.session, OauthGrant.user_id == user_id)
    return schemas.PlatformUser.model_validate(user, from_attributes=True)


def _organization(row: Organization) -> schemas.PlatformOrganization:
    return schemas.PlatformOrganization.model_validate(row, from_attributes=True)
