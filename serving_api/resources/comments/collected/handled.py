"""Handled comments: a mark of the team, stored only in PostgreSQL and read immediately.

It changes nothing else about a comment.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import Session

from serving_api.kit.rows import rows_of
from warehouse.operational.models import HandledComment

CLOCKS_APART = timedelta(days=1)


def ids_in(session: Session, organization_id: UUID, project_id: UUID, first: date) -> str:
    """Return the ids of a project's handled comments from a day on, comma-separated.

    A comment is handled after it was written, give or take a day for timezones and platforms'
    clocks. Older marks are skipped, however many there are.
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
    statement = rows_of(HandledComment, organization_id).where(HandledComment.comment_id.in_(ids))
    return {
        handled_comment.comment_id: handled_comment
        for handled_comment in session.scalars(statement)
    }
