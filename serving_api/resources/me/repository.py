"""SQL of the current member."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import Member


def readme_of(session: Session, organization_id: UUID, user_id: UUID) -> str | None:
    """Return the notes of a member."""
    return session.scalar(
        select(Member.readme).where(
            Member.organization_id == organization_id, Member.user_id == user_id
        )
    )
