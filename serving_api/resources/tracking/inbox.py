"""A project's inbox: posts that await review before they count, and rejected posts."""

from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from pydantic import Field
from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import LimitReached
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import Keyset, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import count_rows, rows_of
from serving_api.kit.schemas import Body, Params
from serving_api.openapi import answers
from serving_api.resources.organization import organizations, projects
from serving_api.resources.programs.campaigns import repository as campaigns
from serving_api.resources.tracking.videos import presenter, tracking
from serving_api.resources.tracking.videos import repository as videos
from serving_api.resources.tracking.videos.schemas import (
    ManyChanged,
    NewestPostsQuery,
    TrackingStatus,
    Video,
    VideoIds,
)
from warehouse.operational import models

MOST_CREATORS = 100
Action = Literal["approve", "exclude", "return"]

STATUS_AFTER: Mapping[Action, TrackingStatus] = {
    "approve": "included",
    "exclude": "excluded",
    "return": "pending_review",
}


class InboxQuery(NewestPostsQuery):
    tracking_status: Literal["pending_review", "excluded"] = Field(
        default="pending_review", description="`excluded`: posts that were rejected"
    )
    creator_id: UUID | None = None
    campaign_id: UUID | None = Field(
        default=None,
        description="Posts that the campaign counts, also by creators and sub-campaigns",
    )


class Review(Body):
    """A decision about posts. `return` undoes the others: the posts await review again."""

    video_ids: VideoIds
    action: Action


SORTED: Mapping[str, Keyset] = {
    "created_at": Keyset(models.Video.created_at, models.Video.id, "inbox"),
    "posted_at": Keyset(
        models.Video.posted_or_created_at, models.Video.id, "inbox by posting time"
    ),
}


def list_inbox(context: RequestContext, project_id: UUID, query: InboxQuery) -> Page[Video]:
    """Return a page of a project's inbox, newest first. Raises NotFound."""
    projects.require(context.session, context.organization_id, project_id)
    statement = _filtered(context, project_id, query)
    page_slice = read_slice(context.session, statement, SORTED[query.sort].of(project_id), query)
    return page_slice.page(lambda rows: presenter.present(context, rows))


def count(context: RequestContext, project_id: UUID, query: InboxQuery | None = None) -> int:
    """Return how many posts of a project await review, or match the query."""
    statement = _filtered(context, project_id, query or InboxQuery())
    return count_rows(context.session, statement)


def count_by_creator(
    context: RequestContext, project_id: UUID, query: InboxQuery
) -> Mapping[UUID, int]:
    """Return post counts by creator for up to 100 creators, most posts first.

    Ignores `creator_id`.
    """
    creator = models.Video.creator_id
    statement = _filtered(context, project_id, query.model_copy(update={"creator_id": None}))
    counted = (
        statement.where(creator.is_not(None))
        .with_only_columns(creator, func.count())
        .group_by(creator)
        .order_by(func.count().desc(), models.Video.creator_id)
        .limit(MOST_CREATORS)
    )
    return {row[0]: row[1] for row in context.session.execute(counted) if row[0]}


def _filtered(context: RequestContext, project_id: UUID, query: InboxQuery) -> Select[models.Video]:
    video = models.Video
    is_excluded = video.tracking_status == "excluded"
    statement = rows_of(models.Video, context.organization_id).where(
        video.project_id == project_id,
        is_excluded if query.tracking_status == "excluded" else _awaits_review(),
    )
    if query.creator_id is not None:
        statement = statement.where(video.creator_id == query.creator_id)
    if query.campaign_id is not None:
        statement = statement.where(campaigns.has_post(context.organization_id, query.campaign_id))
    return statement


def decide(
    context: WriteContext, project_id: UUID, body: Review, *, undone: Action | None = None
) -> ManyChanged:
    """Approve or exclude posts of the inbox, or return reviewed ones to it. All or none.

    Posts that were reviewed meanwhile stay as they are. A return with `undone` skips posts whose
    status is no longer the one that review set. Raises NotFound and LimitReached.
    """
    may_change = _was_reviewed(undone) if body.action == "return" else _awaits_review()
    organizations.lock(context.session, context.organization_id)
    projects.require(context.session, context.organization_id, project_id)
    locked_videos = videos.lock_many(
        context.session, context.organization_id, project_id, body.video_ids, may_change
    )
    newcomers = tracking.set_status(context.session, locked_videos, STATUS_AFTER[body.action])
    paused = tracking.make_room(context, newcomers)
    return ManyChanged.of(body.video_ids, {video.id for video in locked_videos}, paused)


def _awaits_review() -> ColumnElement[bool]:
    video = models.Video
    statement = select(models.Account.id).where(models.Account.is_active)
    return and_(
        video.tracking_status == "pending_review",
        or_(video.account_id.is_(None), video.account_id.in_(statement)),
    )


def _was_reviewed(review: Action | None) -> ColumnElement[bool]:
    statuses = [STATUS_AFTER[review]] if review else ["included", "excluded"]
    return models.Video.tracking_status.in_(statuses)


router = keyed_router("inbox")


@router.get("/projects/{project_id}/inbox")
def list_project_inbox(
    *, context: Reader, project_id: UUID, query: Params[InboxQuery]
) -> Page[Video]:
    """List a project's posts that await review or were rejected. The newest comes first."""
    return list_inbox(context, project_id, query)


@router.patch("/projects/{project_id}/inbox", responses=answers(LimitReached))
def review_project_inbox(
    *, context: Writer, project_id: UUID, review: Review
) -> Envelope[ManyChanged]:
    """Approve up to 200 posts of the inbox, exclude them, or undo that. Approved posts count."""
    return Envelope(data=decide(context, project_id, review))
