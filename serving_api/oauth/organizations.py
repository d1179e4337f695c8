"""The organizations in which a person can let a program act."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.auth.scopes import effective_scopes
from warehouse.operational.models import Member, Organization, User


@dataclass(frozen=True, slots=True)
class Choice:
    """A membership, and what the program would be allowed in it."""

    member: Member
    organization: Organization
    scopes: list[str]


def choices_of(session: Session, user_id: UUID, asked: Sequence[str]) -> list[Choice]:
    """Return where the person is a member, by name. Nobody who is suspended has any."""
    found = session.execute(
        select(Member, Organization)
        .join(Organization, Organization.id == Member.organization_id)
        .join(User, User.id == Member.user_id)
        .where(
            Member.user_id == user_id,
            Organization.is_suspended.is_(False),
            User.is_banned.is_(False),
        )
        .order_by(Organization.name, Organization.id)
    )
    return [Choice(member, of, _allowed(member, asked)) for member, of in found]


def _allowed(member: Member, asked: Sequence[str]) -> list[str]:
    allowed = effective_scopes(asked, is_org_admin=member.role == "admin")
    return [scope for scope in asked if scope in allowed]
