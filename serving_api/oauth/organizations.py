"""Organizations in which a user can authorize an app."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from serving_api.kit.principals import effective_scopes
from warehouse.operational.models import Member, Organization, User
from warehouse.operational.session import WriteSession


@dataclass(frozen=True, slots=True)
class Choice:
    """A membership, and the scopes that the app would get."""

    member: Member
    organization: Organization
    scopes: list[str]


def choices_of(session: Session, user_id: UUID, requested: Sequence[str]) -> list[Choice]:
    """Return a user's memberships by name; none for banned users and suspended organizations."""
    memberships = session.execute(
        _memberships(user_id).order_by(Organization.name, Organization.id)
    )
    return [Choice(member, of, _allowed(member, requested)) for member, of in memberships]


def hold_choice(
    session: WriteSession, user_id: UUID, organization_id: str, requested: Sequence[str]
) -> Choice | None:
    """Return a membership, locked until the end of the transaction, or None.

    Removing a member, suspending or banning waits meanwhile, and then finds the grant to revoke.
    Locks in the same order as those: the organization first.
    """
    try:
        in_it = Member.organization_id == UUID(organization_id)
    except ValueError:
        return None
    tables = (Organization, User, Member)
    membership = session.execute(
        _memberships(user_id).where(in_it).with_for_update(read=True, of=tables)
    ).one_or_none()
    return (
        Choice(membership[0], membership[1], _allowed(membership[0], requested))
        if membership
        else None
    )


def _memberships(user_id: UUID) -> Select[Member, Organization]:
    return (
        select(Member, Organization)
        .join(Organization, Organization.id == Member.organization_id)
        .join(User, User.id == Member.user_id)
        .where(
            Member.user_id == user_id,
            Organization.is_suspended.is_(False),
            User.is_banned.is_(False),
        )
    )


def _allowed(member: Member, requested: Sequence[str]) -> list[str]:
    allowed = effective_scopes(requested, is_org_admin=member.role == "admin")
    return [scope for scope in requested if scope in allowed]
