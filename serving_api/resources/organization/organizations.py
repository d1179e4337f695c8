"""Organizations: the tenants."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StrictInt
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Admin, Reader
from serving_api.errors import LimitReached, NotesConflict, NotesTooLong
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope
from serving_api.kit.pagination import Keyset
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import require_row
from serving_api.kit.schemas import Body, Name, Readme, ReadmeChanges, unsent
from serving_api.openapi import answers
from serving_api.resources.payouts.structures import repository
from warehouse.operational import models
from warehouse.operational.dated import set_zone
from warehouse.operational.organizations import add_organization
from warehouse.operational.session import WriteSession
from warehouse.zones import require_zone

Zone = Annotated[str, AfterValidator(require_zone)]
"""A timezone by its IANA name."""
PlanName = Literal["free", "starter", "ultra"]
SettlingDays = Annotated[StrictInt, Field(ge=0, le=30)]


class NewOrganization(Body):
    """A new organization. The acting member becomes its admin."""

    name: Name
    analytics_tz: Zone = "UTC"


class OrganizationChanges(ReadmeChanges):
    """Changes to an organization.

    A new timezone applies from now on. Payout structures with accruals in a live payment keep
    theirs.
    """

    name: Name = unsent()
    analytics_tz: Zone = unsent()
    readme: Readme | None = unsent()
    expected_readme_version: str | None = Field(default=None, description="Requires `readme`")
    payout_settling_days: SettlingDays = unsent()


class Organization(BaseModel):
    """An organization."""

    id: UUID
    name: str
    plan: PlanName
    analytics_tz: str
    is_suspended: bool
    readme: str | None
    payout_settling_days: int
    created_at: datetime
    updated_at: datetime


class OrganizationDetail(Organization):
    """An organization with the version of its notes."""

    readme_version: str


NEWEST_FIRST = Keyset(models.Organization.created_at, models.Organization.id, "organizations")


def require(session: Session, organization_id: UUID) -> models.Organization:
    """Return an organization that the caller may see. Raises NotFound."""
    return require_row(session.get(models.Organization, organization_id), "Organization")


def lock(session: WriteSession, organization_id: UUID) -> models.Organization:
    """Lock and return an organization: to change it, or to count and add what its plan limits.

    Only one transaction holds the lock at a time. `for no key update` does not block rows that
    only refer to the organization. Raises NotFound.
    """
    return require_row(
        session.scalar(
            select(models.Organization)
            .where(models.Organization.id == organization_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ),
        "Organization",
    )


def create(context: WriteContext, body: NewOrganization) -> Organization:
    """Create an organization on the free plan, with the acting member as its admin.

    Raises LimitReached if the key's maker created as many as the plan of its organization allows.
    """
    _make_room(context)
    organization = add_organization(context.session, body.name, "free", body.analytics_tz)
    organization.created_by_user_id = context.caller.maker_id
    context.session.add(
        models.Member(
            organization_id=organization.id,
            user_id=context.caller.user_id,
            role="admin",
            joined_at=context.now,
        )
    )
    context.session.flush()
    return Organization.model_validate(organization, from_attributes=True)


def _make_room(context: WriteContext) -> None:
    """Lock the key's maker until the end of the transaction, and count."""
    user = context.session.get_one(
        models.User, context.caller.maker_id, with_for_update={"key_share": True}
    )
    own = select(func.count()).where(
        models.Organization.created_by_user_id == user.id, models.Organization.plan == "free"
    )
    current = context.session.scalars(own).one()
    maximum = context.caller.plan.max_free_organizations_per_user
    if current >= maximum:
        raise LimitReached("max_free_organizations_per_user", current=current, maximum=maximum)


def change(
    context: WriteContext, organization_id: UUID, changes: OrganizationChanges
) -> OrganizationDetail:
    """Change the key's organization; the timezone is a dated decision (money.md M3, M15).

    Raises NotFound, NotesConflict and NotesTooLong.
    """
    context.caller.require_organization(organization_id)
    organization = lock(context.session, organization_id)
    changes.apply_to(organization, "name", "payout_settling_days")
    if changes.sends("readme"):
        replace_readme(
            context.session, organization, changes.readme, changes.expected_readme_version
        )
    if changes.sends("analytics_tz"):
        repository.freeze_zones(context.session, organization, changes.analytics_tz)
        set_zone(context.session, organization, changes.analytics_tz, context.now)
    context.session.flush()
    return _detail(organization)


def read(context: RequestContext) -> OrganizationDetail:
    """Return the key's organization."""
    return _detail(require(context.session, context.organization_id))


def _detail(row: models.Organization) -> OrganizationDetail:
    organization = Organization.model_validate(row, from_attributes=True)
    return OrganizationDetail(**dict(organization), readme_version=readme_version(row.readme))


router = keyed_router("organizations")


@router.post("/user/organizations", status_code=201, responses=answers(LimitReached))
@idempotent()
def create_organization(*, context: Admin, body: NewOrganization) -> Envelope[Organization]:
    """Create an organization with the acting member as its admin.

    The plan limits how many organizations on the free plan a user can create.
    """
    return Envelope(data=create(context, body))


@router.get("/organizations/{organization_id}")
def get_organization(*, context: Reader, organization_id: UUID) -> Envelope[OrganizationDetail]:
    """Return the key's organization."""
    context.caller.require_organization(organization_id)
    return Envelope(data=read(context))


@router.patch("/organizations/{organization_id}", responses=answers(NotesConflict, NotesTooLong))
def change_organization(
    *, context: Admin, organization_id: UUID, changes: OrganizationChanges
) -> Envelope[OrganizationDetail]:
    """Change the key's organization."""
    return Envelope(data=change(context, organization_id, changes))
