"""Switch tracking of videos off and on, of one or many (contract, Videos)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

import fastapi
from pydantic import BaseModel, Field

from serving_api.auth.dependencies import AdminWriter, Writer
from serving_api.errors import LimitReached
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.kit.request_context import WriteContext
from serving_api.kit.schemas import Body, Flag
from serving_api.openapi import answers
from serving_api.resources.organization import organizations, projects
from serving_api.resources.tracking.videos import repository, tracking
from serving_api.resources.tracking.videos import service as videos
from serving_api.resources.tracking.videos.schemas import ManyChanged, Paused, VideoIds
from serving_api.resources.tracking.videos.tracking import Reason
from warehouse.operational.models import Video

_EXEMPT = Field(
    default=False, description="Also exempt the videos, so that the plan's limit never pauses them"
)


class EnableTracking(Body):
    """Options for tracking a video again. `exempt` false keeps an existing exemption."""

    exempt: Flag = _EXEMPT


class ManyVideos(Body):
    """Videos of the project whose tracking to switch off or on."""

    video_ids: VideoIds
    exempt: Flag = _EXEMPT


class VideoTracking(BaseModel):
    """Whether a video is tracked. `tracking_disabled_at` is when tracking was switched off.

    A video paused at the plan's limit is not switched off: `plan_limit_paused_at` is set.
    """

    id: UUID
    tracking_disabled: bool
    tracking_disabled_at: datetime | None
    tracking_disabled_reason: Reason | None
    tracking_exempted: bool
    plan_limit_paused_at: datetime | None


class EnabledTracking(VideoTracking, Paused):
    """A video that is tracked again, and how many others were paused at the plan's limit."""


def enable(context: WriteContext, video_id: UUID, body: EnableTracking) -> EnabledTracking:
    """Track a disabled or paused video again. Raises NotFound and LimitReached."""
    organizations.lock(context.session, context.organization_id)
    video = videos.locked(context, video_id)
    paused = tracking.enable(context, [video], exempt=body.exempt)
    return EnabledTracking(**_state(video), paused_count=paused)


def _locked(context: WriteContext, project_id: UUID, body: ManyVideos) -> Sequence[Video]:
    organizations.lock(context.session, context.organization_id)
    projects.require(context.session, context.organization_id, project_id)
    return repository.lock_many(
        context.session, context.organization_id, project_id, body.video_ids
    )


def _state(video: Video) -> dict[str, object]:
    reason = tracking.why_off(video)
    off_since = video.tracking_disabled_at or video.stopped_at or video.frozen_at
    return {
        "id": video.id,
        "tracking_disabled": reason is not None,
        "tracking_disabled_at": off_since,
        "tracking_disabled_reason": reason,
        "tracking_exempted": video.tracking_exempted,
        "plan_limit_paused_at": video.plan_limit_paused_at,
    }


router = keyed_router("videos")


@router.post("/videos/{video_id}/tracking-disable")
def disable_tracking(*, context: AdminWriter, video_id: UUID) -> Envelope[VideoTracking]:
    """Stop scraping a video. It keeps its counts."""
    video = videos.locked(context, video_id)
    tracking.disable(context.session, video)
    return Envelope(data=VideoTracking(**_state(video)))


@router.post("/videos/{video_id}/tracking-enable", responses=answers(LimitReached))
def enable_tracking(
    *,
    context: Writer,
    video_id: UUID,
    body: Annotated[EnableTracking | None, fastapi.Body()] = None,
) -> Envelope[EnabledTracking]:
    """Scrape a disabled or paused video again. At the plan's limit the oldest other is paused."""
    options = body or EnableTracking()
    return Envelope(data=enable(context, video_id, options))


@router.post("/videos/{video_id}/tracking-unexempt")
def unexempt_from_limit(*, context: Writer, video_id: UUID) -> Envelope[VideoTracking]:
    """End a video's exemption, so that the plan's limit can pause it."""
    video = videos.locked(context, video_id)
    video.tracking_exempted = False
    return Envelope(data=VideoTracking(**_state(video)))


@router.post("/projects/{project_id}/videos/bulk-tracking-disable")
def disable_tracking_of_many(
    *, context: AdminWriter, project_id: UUID, body: ManyVideos
) -> Envelope[ManyChanged]:
    """Stop scraping up to 200 videos of a project."""
    locked_videos = _locked(context, project_id, body)
    for video in locked_videos:
        tracking.disable(context.session, video)
        video.tracking_exempted = video.tracking_exempted or body.exempt
    changed = {video.id for video in locked_videos}
    return Envelope(data=ManyChanged.of(body.video_ids, changed, paused=0))


@router.post("/projects/{project_id}/videos/bulk-tracking-enable", responses=answers(LimitReached))
def enable_tracking_of_many(
    *, context: Writer, project_id: UUID, body: ManyVideos
) -> Envelope[ManyChanged]:
    """Scrape up to 200 videos of a project again. Either all are enabled or none."""
    locked_videos = _locked(context, project_id, body)
    paused = tracking.enable(context, locked_videos, exempt=body.exempt)
    changed = {video.id for video in locked_videos}
    return Envelope(data=ManyChanged.of(body.video_ids, changed, paused))
