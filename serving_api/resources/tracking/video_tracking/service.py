"""Switching the tracking of videos off and on. What that means for a video: `videos.tracking`."""

from collections.abc import Sequence
from uuid import UUID

from serving_api.kit.errand import WriteErrand
from serving_api.resources.organization.organizations import repository as organizations
from serving_api.resources.organization.projects import repository as projects
from serving_api.resources.tracking.video_tracking import schemas
from serving_api.resources.tracking.videos import repository, tracking
from serving_api.resources.tracking.videos import service as videos
from serving_api.resources.tracking.videos.schemas import ManyChanged
from warehouse.operational.models import Video


def disable(errand: WriteErrand, video_id: UUID) -> schemas.VideoTracking:
    """Stop tracking a video; what it gained stays. Raises NotFound."""
    video = videos.locked(errand, video_id)
    tracking.disable(errand.session, video)
    return schemas.VideoTracking(**_state(video))


def enable(
    errand: WriteErrand, video_id: UUID, body: schemas.EnableTracking
) -> schemas.EnabledTracking:
    """Track a video again, be it disabled or paused. Raises NotFound and LimitReached."""
    organizations.lock(errand.session, errand.organization_id)
    video = videos.locked(errand, video_id)
    paused = tracking.enable(errand, [video], exempt=body.exempt)
    return schemas.EnabledTracking(**_state(video), paused_count=paused)


def unexempt(errand: WriteErrand, video_id: UUID) -> schemas.VideoTracking:
    """Let the plan's limit pause a video again, when it is its turn. Raises NotFound."""
    video = videos.locked(errand, video_id)
    video.tracking_exempted = False
    return schemas.VideoTracking(**_state(video))


def disable_many(errand: WriteErrand, project_id: UUID, body: schemas.ManyVideos) -> ManyChanged:
    """Stop tracking videos of a project; with `exempt` they come back exempt. Raises NotFound."""
    found = _locked(errand, project_id, body)
    for video in found:
        tracking.disable(errand.session, video)
        video.tracking_exempted = video.tracking_exempted or body.exempt
    return ManyChanged.of(body.video_ids, {video.id for video in found}, paused=0)


def enable_many(errand: WriteErrand, project_id: UUID, body: schemas.ManyVideos) -> ManyChanged:
    """Track videos of a project again, all or none. Raises NotFound and LimitReached."""
    found = _locked(errand, project_id, body)
    paused = tracking.enable(errand, found, exempt=body.exempt)
    return ManyChanged.of(body.video_ids, {video.id for video in found}, paused)


def _locked(errand: WriteErrand, project_id: UUID, body: schemas.ManyVideos) -> Sequence[Video]:
    organizations.lock(errand.session, errand.organization_id)
    projects.require(errand.session, errand.organization_id, project_id)
    return repository.lock_many(errand.session, errand.organization_id, project_id, body.video_ids)


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
