"""SQL of members. Every statement names the organization."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from warehouse.operational.models import ApiKey, Member, User
from warehouse.operational.session import WriteSession

NEWEST_FIRST = Keyset(Member.joined_at, Member.user_id, "members")


def of_organization(organization_id: UUID) -> Select[Member]:
    """Select every member of an organization."""
    return select(Member).where(Member.organization_id == organization_id)


def find(session: Session, organization_id: UUID, user_id: UUID) -> Member | None:
    """Return the member; None if the user is none here."""
    return session.get(Member, (organization_id, user_id))


def users(session: Session, user_ids: Collection[UUID]) -> Mapping[UUID, User]:
    """Return users by id."""
    return {user.id: user for user in session.scalars(select(User).where(User.id.in_(user_ids)))}


def user_named(session: Session, user_id: UUID | None, email: str | None) -> User | None:
    """Return the user with this id or, in any case, this address."""
    if user_id is not None:
        return session.get(User, user_id)
    return session.scalar(select(User).where(func.lower(User.email) == func.lower(email)))


def has_other_admin(session: Session, organization_id: UUID, user_id: UUID) -> bool:
    """Tell whether someone else, not banned, administers the organization."""
    others = (
        select(Member.user_id)
        .join(User, User.id == Member.user_id)
        .where(
            Member.organization_id == organization_id,
            Member.role == "admin",
            Member.user_id != user_id,
            User.is_banned.is_(False),
        )
    )
    return session.scalar(select(others.exists())) is True


def active_keys_of(session: WriteSession, organization_id: UUID, user_id: UUID) -> Sequence[ApiKey]:
    """Return, for writing, the keys in force that act as a user or that the user made."""
    return session.scalars(
        select(ApiKey)
        .where(
            ApiKey.organization_id == organization_id,
            ApiKey.status == "active",
            or_(ApiKey.acts_as_user_id == user_id, ApiKey.created_by_user_id == user_id),
        )
        .with_for_update()
    ).all()
