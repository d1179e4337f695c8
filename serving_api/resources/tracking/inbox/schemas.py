"""Bodies of a project's inbox (decisions.md, Inbox)."""

from collections.abc import Mapping
from typing import Literal

from serving_api.kit.schemas import Body
from serving_api.resources.tracking.videos.schemas import VideoIds
from serving_api.resources.tracking.videos.statuses import TrackingStatus

Action = Literal["approve", "exclude"]

STATUS_AFTER: Mapping[Action, TrackingStatus] = {"approve": "included", "exclude": "excluded"}


class Review(Body):
    """What becomes of posts in the inbox."""

    video_ids: VideoIds
    action: Action
