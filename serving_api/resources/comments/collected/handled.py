"""Which comments somebody has handled: a mark of the team's own, kept in PostgreSQL alone.

It changes nothing that is said of a comment, and is read from where it was written, at once.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import Session

from warehouse.operational.models import HandledComment

CLOCKS_APART = timedelta(days=1)


def ids_in(session: Session, organization_id: UUID, project_id: UUID, first: date) -> str:
    """Return which comments of a project from a day on are handled: ids with commas between.

    Nobody handles a comment before it is written, whatever a platform's clock and a zone make of
    that by a day: marks of before are of no use, however many there are.
    """
    its = select(func.string_agg(cast(HandledComment.comment_id, Text), ",")).where(
        HandledComment.organization_id == organization_id,
        HandledComment.project_id == project_id,
        HandledComment.handled_at >= datetime.combine(first, time.min, UTC) - CLOCKS_APART,
    )
    return session.scalar(its) or ""


def handled_comments(
    session: Session, organization_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, HandledComment]:
    """Return the marks of those of the comments that are handled."""
    statement = select(HandledComment).where(
        HandledComment.organization_id == organization_id, HandledComment.comment_id.in_(ids)
    )
    return {
        handled_comment.comment_id: handled_comment
        for handled_comment in session.scalars(statement)
    }
