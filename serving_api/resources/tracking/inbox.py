"""A project's inbox: posts that await review before they count."""

from collections.abc import Mapping
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query
from sqlalchemy import ColumnElement, and_, func, or_, select

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import InvalidBody, InvalidCursor, InvalidParams, LimitReached, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import Keyset, PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.schemas import Body
from serving_api.openapi import answers
from serving_api.resources.organization import organizations, projects
from serving_api.resources.tracking.videos import presenter, tracking
from serving_api.resources.tracking.videos import repository as videos
from serving_api.resources.tracking.videos.schemas import (
    ManyChanged,
    TrackingStatus,
    Video,
    VideoIds,
)
from warehouse.operational import models

Action = Literal["approve", "exclude"]

STATUS_AFTER: Mapping[Action, TrackingStatus] = {"approve": "included", "exclude": "excluded"}


class Review(Body):
    """What becomes of posts in the inbox."""

    video_ids: VideoIds
    action: Action


NEWEST_FIRST = Keyset(models.Video.created_at, models.Video.id, "inbox")


def list_inbox(context: RequestContext, project_id: UUID, query: PageQuery) -> Page[Video]:
    """Return a page of a project's posts that await review, newest first. Raises NotFound."""
    projects.require(context.session, context.organization_id, project_id)
    statement = videos.of_organization(context.organization_id).where(
        models.Video.project_id == project_id, _awaits_review()
    )
    page_slice = read_slice(context.session, statement, NEWEST_FIRST.of(project_id), query)
    return page_slice.page(
        lambda rows: presenter.present(
            context.session, context.marts, context.organization_id, rows
        )
    )


def count(context: RequestContext, project_id: UUID) -> int:
    """Return how many posts of a project await review."""
    awaiting = videos.of_organization(context.organization_id).where(
        models.Video.project_id == project_id, _awaits_review()
    )
    return context.session.scalars(awaiting.with_only_columns(func.count())).one()


def decide(context: WriteContext, project_id: UUID, body: Review) -> ManyChanged:
    """Approve or exclude posts of the inbox, all of them or none.

    Those that somebody else has reviewed meanwhile are not in it any more, and stay as they are.
    Raises NotFound and LimitReached.
    """
    organizations.lock(context.session, context.organization_id)
    projects.require(context.session, context.organization_id, project_id)
    found = videos.lock_many(
        context.session, context.organization_id, project_id, body.video_ids, _awaits_review()
    )
    newcomers = tracking.set_status(context.session, found, STATUS_AFTER[body.action])
    paused = tracking.make_room(context, newcomers)
    return ManyChanged.of(body.video_ids, {video.id for video in found}, paused)


def _awaits_review() -> ColumnElement[bool]:
    video = models.Video
    statement = select(models.Account.id).where(models.Account.is_active)
    return and_(
        video.tracking_status == "pending_review",
        or_(video.account_id.is_(None), video.account_id.in_(statement)),
    )


router = keyed_router("inbox")


@router.get(
    "/projects/{project_id}/inbox", responses=answers(InvalidCursor, InvalidParams, NotFound)
)
def list_project_inbox(
    *,
    context: Reader,
    project_id: UUID,
    query: Annotated[PageQuery, Query()],
) -> Page[Video]:
    """List the posts of a project that await review, the latest found first."""
    return list_inbox(context, project_id, query)


@router.patch(
    "/projects/{project_id}/inbox",
    responses=answers(InvalidBody, InvalidParams, LimitReached, NotFound),
)
def review_project_inbox(
    *, context: Writer, project_id: UUID, review: Review
) -> Envelope[ManyChanged]:
    """Approve up to 200 posts of the inbox, which then count, or exclude them."""
    return Envelope(data=decide(context, project_id, review))
