"""Creates an organization with its first member, key and project.

Plan limits and later changes through the API are elsewhere.
"""

from dataclasses import dataclass
from typing import Literal, get_args
from uuid import UUID

from sqlalchemy import select

from warehouse.operational.api_keys import new_api_key
from warehouse.operational.base import business_now
from warehouse.operational.models import (
    ApiKey,
    Member,
    Organization,
    OrganizationZone,
    PayoutMethod,
    Project,
    User,
)
from warehouse.operational.session import WriteSession
from warehouse.operational.users import require_named, user_with
from warehouse.zones import require_zone

PlanName = Literal["free", "starter", "ultra"]
LONGEST_NAME = 200  # contract, decisions.md 'Organization' and 'projects'
PAYOUT_METHODS = ("Bank transfer", "PayPal", "Wise")
"""The payout methods of a new organization (contract, Payout method)."""


class InvalidOrganizationError(ValueError):
    """The arguments are invalid. The message names the field."""


@dataclass(frozen=True)
class NewOrganization:
    """The created ids. The key is returned only here."""

    organization_id: UUID
    user_id: UUID
    api_key: str
    project_id: UUID | None


def create_organization(
    session: WriteSession,
    *,
    name: str,
    plan: str,
    analytics_tz: str,
    admin_email: str | None = None,
    existing: UUID | None = None,
    project_name: str | None = None,
) -> NewOrganization:
    """Create an organization with an admin, a key of all scopes and optionally a project.

    The admin is a new user with `admin_email`, or the `existing` user with it. Raises
    InvalidOrganizationError, UnknownZoneError, and UnnamedUserError for an existing user that
    `existing` does not name.
    """
    _require_name("name", name)
    if project_name is not None:
        _require_name("project_name", project_name)
    if plan not in get_args(PlanName):
        raise InvalidOrganizationError(
            f"plan: {plan!r} is not one of {', '.join(get_args(PlanName))}"
        )
    organization = add_organization(session, name, plan, require_zone(analytics_tz))
    admin = _admin(session, organization, admin_email, existing)
    api_key = _first_key(session, organization, admin)
    project_id = _project(session, organization, project_name) if project_name else None
    return NewOrganization(organization.id, admin.id, api_key, project_id)


def _require_name(field: str, name: str) -> None:
    if not 1 <= len(name.strip()) <= LONGEST_NAME:
        raise InvalidOrganizationError(f"{field}: use 1 to {LONGEST_NAME} characters")


def organization_named(session: WriteSession, name: str) -> UUID | None:
    """Return the oldest organization of this name."""
    with_name = select(Organization.id).where(Organization.name == name)
    return session.scalar(with_name.order_by(Organization.id).limit(1))


def add_organization(session: WriteSession, name: str, plan: str, tz: str) -> Organization:
    """Add an organization without members, with the default payout methods.

    The caller checks name, plan and time zone.
    """
    organization = Organization(name=name, plan=plan, analytics_tz=tz)
    session.add(organization)
    session.flush()
    session.add(
        OrganizationZone(
            organization_id=organization.id, analytics_tz=tz, valid_from=organization.created_at
        )
    )
    for method in PAYOUT_METHODS:
        session.add(PayoutMethod(organization_id=organization.id, name=method, is_default=True))
    return organization


def _admin(
    session: WriteSession, organization: Organization, email: str | None, existing: UUID | None
) -> User:
    """Return the organization's first admin, an existing or new user."""
    # Mail to `.invalid` is never delivered (RFC 2606).
    address = email or f"admin@{organization.id}.invalid"
    admin = user_with(session, address)
    if admin:
        require_named(session, admin, existing)
    elif existing:
        raise InvalidOrganizationError(
            f"existing: user {existing} does not have the e-mail address {address!r}"
        )
    else:
        admin = User(email=address, display_name=address.partition("@")[0])
        session.add(admin)
        session.flush()
    session.add(
        Member(
            organization_id=organization.id,
            user_id=admin.id,
            role="admin",
            joined_at=business_now(session),
        )
    )
    return admin


def _first_key(session: WriteSession, organization: Organization, admin: User) -> str:
    """Add a key of all scopes, so that everything else can be done through the API."""
    key, key_hash, prefix = new_api_key()
    session.add(
        ApiKey(
            organization_id=organization.id,
            name="First key",
            key_hash=key_hash,
            key_prefix=prefix,
            scopes=["read", "write", "admin"],
            acts_as_user_id=admin.id,
            created_by_user_id=admin.id,
        )
    )
    return key


def _project(session: WriteSession, organization: Organization, name: str) -> UUID:
    project = Project(organization_id=organization.id, name=name)
    session.add(project)
    session.flush()
    return project.id
