"""Which comments somebody has handled: a mark of the team's own, kept in PostgreSQL alone.

It changes nothing that is said of a comment, and is read from where it was written, at once.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import HandledComment


def ids_in(session: Session, organization_id: UUID, project_id: UUID) -> list[UUID]:
    """Return which comments of a project are handled."""
    its = select(HandledComment.comment_id).where(
        HandledComment.organization_id == organization_id,
        HandledComment.project_id == project_id,
    )
    return list(session.scalars(its))


def marks_of(
    session: Session, organization_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, HandledComment]:
    """Return the marks of those of the comments that are handled."""
    marks = select(HandledComment).where(
        HandledComment.organization_id == organization_id, HandledComment.comment_id.in_(ids)
    )
    return {mark.comment_id: mark for mark in session.scalars(marks)}
