"""Why a video's comments were not collected yet: what `comment_targets` would say of it now."""

from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.models import CommentCollection, Video
from warehouse.registration.scrapable import collectable_video
from warehouse.scrape_jobs.comment_targets import FIRST_AFTER

Delay = Literal["not_tracked", "too_young", "not_published", "too_few", "refused", "due"]


def delay_of(
    session: Session, video: Video, *, shown: int | None, at_least: int, now: datetime
) -> Delay:
    """Return what a video without collected comments waits for; the first that stands against it.

    `shown` is how many comments the current publication knows its platform to show. `due` ones are
    walked by the next pass, as far as the organization's day has room.
    """
    if not session.scalar(select(collectable_video()).where(Video.id == video.id)):
        return "not_tracked"
    if (video.posted_at or video.created_at) > now - FIRST_AFTER:
        return "too_young"
    if shown is None:
        return "not_published"
    if shown < at_least:
        return "too_few"
    walk = session.get(CommentCollection, video.id)
    if walk is None:
        return "due"
    return "refused" if walk.failures else "not_published"
