"""Bodies and answers of switching the tracking of videos off and on."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Body, Flag
from serving_api.resources.tracking.videos.schemas import Paused, VideoIds
from serving_api.resources.tracking.videos.tracking import Reason

_EXEMPT = Field(default=False, description="Also exempts: never paused for the plan's limit")


class EnableTracking(Body):
    """How to track a video again; false leaves an exemption as it is."""

    exempt: Flag = _EXEMPT


class ManyVideos(Body):
    """Videos of the project to switch tracking off or on for."""

    video_ids: VideoIds
    exempt: Flag = _EXEMPT


class VideoTracking(BaseModel):
    """Whether a video is tracked. `tracking_disabled_at` is when it was switched off.

    A video paused for the plan's limit is not switched off: `plan_limit_paused_at` is set.
    """

    id: UUID
    tracking_disabled: bool
    tracking_disabled_at: datetime | None
    tracking_disabled_reason: Reason | None
    tracking_exempted: bool
    plan_limit_paused_at: datetime | None


class EnabledTracking(VideoTracking, Paused):
    """A video that is tracked again, and how many others were paused to make room in the plan."""
