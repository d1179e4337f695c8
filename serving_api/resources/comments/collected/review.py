"""Handled comments: a mark of the team, stored only in PostgreSQL and read immediately.

It changes nothing else about a comment.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import Session

from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import rows_of
from serving_api.resources.comments.collected import schemas
from serving_api.resources.comments.collected.scope import require_plan
from serving_api.resources.organization import projects
from warehouse.operational.models import HandledComment
from warehouse.reading.comments.listing import comments_by_ids
from warehouse.reading.comments.scope import CommentScope

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


def decide(
    context: WriteContext, project_id: UUID, body: schemas.CommentHandling
) -> tuple[schemas.ManyHandled, list[UUID]]:
    """Mark comments as handled, or remove the mark; the first member to mark one stays its handler.

    Return the answer, and the comments that changed. Raises PlanFeatureUnavailable and NotFound.
    """
    require_plan(context.caller)
    projects.lock(context, project_id)
    comment_ids = dict.fromkeys(body.comment_ids)
    known = _known(context, project_id, comment_ids)
    handled_by_id = handled_comments(context.session, context.organization_id, known)
    changed = [each for each in known if (each in handled_by_id) != body.handled]
    if body.handled:
        _handle(context, project_id, changed)
    else:
        for handled_comment in handled_by_id.values():
            context.session.delete(handled_comment)
    missing = [comment_id for comment_id in comment_ids if comment_id not in known]
    return schemas.ManyHandled(updated=len(known), not_found_ids=missing), changed


def _known(context: WriteContext, project_id: UUID, comment_ids: Collection[UUID]) -> list[UUID]:
    """Return the comments that the publication has in the project, in the order of the request."""
    scope = CommentScope(organization_id=context.organization_id, project_id=project_id)
    with context.marts.cursor() as cursor:
        comments = comments_by_ids(cursor, scope, comment_ids) if cursor else {}
    return [comment_id for comment_id in comment_ids if comment_id in comments]


def _handle(context: WriteContext, project_id: UUID, ids: Collection[UUID]) -> None:
    now = context.now
    context.session.add_all(
        HandledComment(
            comment_id=comment_id,
            organization_id=context.organization_id,
            project_id=project_id,
            handled_at=now,
            handled_by=context.caller.user_id,
        )
        for comment_id in ids
    )
