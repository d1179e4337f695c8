"""`/videos/{video_id}/tracking-*` and `/projects/{project_id}/videos/bulk-tracking-*`."""

from typing import Annotated
from uuid import UUID

from fastapi import Body

from serving_api.auth.dependencies import AdminWriter, Writer
from serving_api.errors import InsufficientRole, InvalidBody, InvalidParams, LimitReached, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.tracking.video_tracking import schemas, service
from serving_api.resources.tracking.videos.schemas import ManyChanged

router = keyed_router("videos")


@router.post(
    "/videos/{video_id}/tracking-disable",
    responses=answers(InsufficientRole, InvalidParams, NotFound),
)
def disable_tracking(*, errand: AdminWriter, video_id: UUID) -> Envelope[schemas.VideoTracking]:
    """Stop scraping a video; it keeps the counts it had."""
    return Envelope(data=service.disable(errand, video_id))


@router.post(
    "/videos/{video_id}/tracking-enable",
    responses=answers(InvalidBody, InvalidParams, LimitReached, NotFound),
)
def enable_tracking(
    *,
    errand: Writer,
    video_id: UUID,
    body: Annotated[schemas.EnableTracking | None, Body()] = None,
) -> Envelope[schemas.EnabledTracking]:
    """Scrape a video again that was disabled or paused; the oldest other makes room if need be."""
    wanted = body or schemas.EnableTracking()
    return Envelope(data=service.enable(errand, video_id, wanted))


@router.post("/videos/{video_id}/tracking-unexempt", responses=answers(InvalidParams, NotFound))
def unexempt_from_limit(*, errand: Writer, video_id: UUID) -> Envelope[schemas.VideoTracking]:
    """End a video's exemption: the plan's limit may pause it again."""
    return Envelope(data=service.unexempt(errand, video_id))


@router.post(
    "/projects/{project_id}/videos/bulk-tracking-disable",
    responses=answers(InsufficientRole, InvalidBody, InvalidParams, NotFound),
)
def disable_tracking_of_many(
    *, errand: AdminWriter, project_id: UUID, body: schemas.ManyVideos
) -> Envelope[ManyChanged]:
    """Stop scraping up to 200 videos of a project."""
    return Envelope(data=service.disable_many(errand, project_id, body))


@router.post(
    "/projects/{project_id}/videos/bulk-tracking-enable",
    responses=answers(InvalidBody, InvalidParams, LimitReached, NotFound),
)
def enable_tracking_of_many(
    *, errand: Writer, project_id: UUID, body: schemas.ManyVideos
) -> Envelope[ManyChanged]:
    """Scrape up to 200 videos of a project again, all of them or none."""
    return Envelope(data=service.enable_many(errand, project_id, body))
