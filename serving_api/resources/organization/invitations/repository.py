"""SQL of invitations. Every statement names the organization or the token's hash."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from serving_api.resources.organization.members import repository as members
from warehouse.operational.models import Invitation, Member, User

NEWEST_FIRST = Keyset(Invitation.created_at, Invitation.id, "invitations")


def is_pending(session: Session, organization_id: UUID, email: str, now: datetime) -> bool:
    """Return whether the address has an invitation that can still be accepted."""
    pending = rows_of(Invitation, organization_id).where(
        func.lower(Invitation.email) == func.lower(email),
        Invitation.status == "pending",
        Invitation.expires_at > now,
        Invitation.invited_by_user_id.in_(members.admins_of(organization_id)),
    )
    return session.scalar(select(pending.exists())) is True


def is_member(session: Session, organization_id: UUID, email: str) -> bool:
    """Return whether the user with this address is a member."""
    member = (
        select(Member.user_id)
        .join(User, User.id == Member.user_id)
        .where(
            Member.organization_id == organization_id, func.lower(User.email) == func.lower(email)
        )
    )
    return session.scalar(select(member.exists())) is True


def with_token(token_hash: bytes) -> Select[Invitation]:
    """Select the invitation with this token."""
    return select(Invitation).where(Invitation.token_hash == token_hash)
