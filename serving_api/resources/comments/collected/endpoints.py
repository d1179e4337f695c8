"""`/videos/{video_id}/comments`, `/projects/{project_id}/comments`, their signals and flags."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from duckdb import DuckDBPyConnection
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import PlanFeatureUnavailable
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.comments.collected import (
    listing,
    presenter,
    review,
    schemas,
    signal_schemas,
    signals,
)
from serving_api.resources.comments.collected.scope import scope_in
from warehouse.reading.comments.counts import (
    NO_COMMENTS,
    CommentCounts,
    ShareDrop,
    baseline_of,
    positive_share_drops,
)
from warehouse.reading.comments.listing import CommentFilter, CommentPage, comments_in
from warehouse.reading.comments.scope import CommentScope, Days
from warehouse.reading.comments.summary import counts_of_days

FLAGGED = CommentFilter(signal="flagged")


@dataclass(frozen=True)
class FlagQuestion:
    scope: CommentScope
    days: Days


def read(
    context: RequestContext, project_id: UUID, query: schemas.FlagsQuery
) -> signal_schemas.CommentFlags:
    """Return the flags of the last days. Raises PlanFeatureUnavailable and NotFound."""
    scope = scope_in(context, project_id, campaign_id=query.campaign_id, platform=query.platform)
    days = last_days(context, query.days)
    page = CommentPage(sort="newest", limit=query.limit)
    counted = count(context.session, context.marts, scope, days)
    with context.marts.cursor() as cursor:
        rows = comments_in(cursor, scope, days, FLAGGED, page) if cursor else []
    return signal_schemas.CommentFlags(
        **counted.model_dump(by_alias=True),
        comments=presenter.project_comments(context, rows),
        more_comments=counted.flagged_count - len(rows),
    )


def count(
    session: Session, numbers: Published, scope: CommentScope, days: Days
) -> signal_schemas.FlagCounts:
    """Return how many comments of the days are flagged, and the creators who lost approval."""
    answer = numbers.cached(_counted, FlagQuestion(scope, days), lambda counted: len(counted[1]))
    counts, drops = answer[0] if answer else (NO_COMMENTS, ())
    return signal_schemas.FlagCounts(
        ad_disclosure_count=counts.by_signal["ad_disclosure"],
        risk_count=counts.by_signal["risk"],
        flagged_count=counts.by_signal["flagged"],
        positive_share_drops=presenter.share_drops(session, scope.organization_id, drops),
        range=presenter.window(days),
        baseline_range=presenter.window(baseline_of(days)),
    )


def _counted(
    cursor: DuckDBPyConnection, question: FlagQuestion
) -> tuple[CommentCounts, Sequence[ShareDrop]]:
    scope, days = question.scope, question.days
    return counts_of_days(cursor, scope, days), positive_share_drops(cursor, scope, days)


def last_days(context: RequestContext, length: int) -> Days:
    """Return the last `length` days in the publication's timezone, including today."""
    today = context.marts_today
    return Days(first=today - timedelta(days=length - 1), last=today)


router = keyed_router("comments")


@router.get("/videos/{video_id}/comments", responses=answers(PlanFeatureUnavailable))
def list_video_comments(
    *, context: Reader, video_id: UUID, query: Params[schemas.VideoCommentsQuery]
) -> schemas.VideoCommentsAnswer:
    """List a post's comments, with a summary of all of them."""
    return listing.read_of_video(context, video_id, query)


@router.get("/projects/{project_id}/comments", responses=answers(PlanFeatureUnavailable))
def list_project_comments(
    *, context: Reader, project_id: UUID, query: Params[schemas.ProjectCommentsQuery]
) -> schemas.ProjectComments:
    """List comments under a project's counted posts, by default those of the last 30 days."""
    return listing.read_of_project(context, project_id, query)


@router.patch("/projects/{project_id}/comments", responses=answers(PlanFeatureUnavailable))
def handle_project_comments(
    *, context: Writer, project_id: UUID, handling: schemas.CommentHandling
) -> Envelope[schemas.ManyHandled]:
    """Mark up to 100 comments of a project as handled, or remove the mark."""
    answer, _changed = review.decide(context, project_id, handling)
    return Envelope(data=answer)


@router.get("/projects/{project_id}/comment-signals", responses=answers(PlanFeatureUnavailable))
def get_comment_signals(
    *, context: Reader, project_id: UUID, query: Params[schemas.SignalsQuery]
) -> signal_schemas.CommentSignalsAnswer:
    """Summarize a project's comments, by creator and over time."""
    return signals.read(context, project_id, query)


@router.get("/projects/{project_id}/comment-flags", responses=answers(PlanFeatureUnavailable))
def get_comment_flags(
    *, context: Reader, project_id: UUID, query: Params[schemas.FlagsQuery]
) -> Envelope[signal_schemas.CommentFlags]:
    """Return flagged comments, and creators whose comments became less positive."""
    return Envelope(data=read(context, project_id, query))
