"""SQL of comment settings."""

from uuid import UUID

from sqlalchemy.orm import Session

from warehouse.operational.models import CommentSettings


def find(session: Session, organization_id: UUID) -> CommentSettings | None:
    """Return what the organization has set, None where it never set anything."""
    return session.get(CommentSettings, organization_id)
