"""SQL of API keys, and their status. Every statement names the organization.

Removing a member ends its keys permanently and is stored. Other reasons for a deactivated key are
derived from the current state, as for every request (`auth.keys`), and end with their cause.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from serving_api.resources.organization.api_keys.schemas import Reason, Status
from warehouse.operational.models import ApiKey, Member, User

NEWEST_FIRST = Keyset(ApiKey.created_at, ApiKey.id, "api-keys")


@dataclass(frozen=True, slots=True)
class Involved:
    """A user as its API keys need it. No role means no member."""

    display_name: str
    is_banned: bool
    role: str | None


def count_active(session: Session, organization_id: UUID, now: datetime) -> int:
    """Return how many keys count towards the plan's limit: not revoked, deactivated or expired."""
    counted = (
        select(func.count())
        .select_from(ApiKey)
        .where(
            ApiKey.organization_id == organization_id,
            ApiKey.status == "active",
            or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now),
        )
    )
    return session.scalars(counted).one()


def involved(
    session: Session, organization_id: UUID, keys: Iterable[ApiKey]
) -> Mapping[UUID, Involved]:
    """Return the users that keys act as and that created them by id, by one query."""
    ids = {user_id for key in keys for user_id in (key.acts_as_user_id, key.created_by_user_id)}
    statement = (
        select(User.id, User.display_name, User.is_banned, Member.role)
        .outerjoin(
            Member, and_(Member.user_id == User.id, Member.organization_id == organization_id)
        )
        .where(User.id.in_(ids))
    )
    return {
        row.id: Involved(row.display_name, row.is_banned, row.role)
        for row in session.execute(statement)
    }


def status_of(
    key: ApiKey, people: Mapping[UUID, Involved], *, is_suspended: bool, now: datetime
) -> tuple[Status, str | None]:
    """Return a key's status, and the reason if it is deactivated."""
    if key.status != "active":
        stored: Status = "revoked" if key.status == "revoked" else "deactivated"
        return stored, key.deactivation_reason
    reason = _reason(key, people, is_suspended=is_suspended, now=now)
    return ("deactivated", reason) if reason else ("active", None)


def _reason(
    key: ApiKey, people: Mapping[UUID, Involved], *, is_suspended: bool, now: datetime
) -> Reason | None:
    acting, creating = people[key.acts_as_user_id], people[key.created_by_user_id]
    if key.expires_at and key.expires_at <= now:
        return "expired"
    if key.created_by_user_id != key.acts_as_user_id:
        if creating.is_banned:
            return "key_creator_banned"
        if creating.role != "admin":
            return "key_creator_not_admin"
    if is_suspended:
        return "organization_suspended"
    return "member_banned" if acting.is_banned else None
