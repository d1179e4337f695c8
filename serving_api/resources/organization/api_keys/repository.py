"""SQL of API keys. Every statement names the organization."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from serving_api.resources.organization.api_keys.key_status import Involved
from warehouse.operational.models import ApiKey, Member, User

NEWEST_FIRST = Keyset(ApiKey.created_at, ApiKey.id, "api-keys")


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
