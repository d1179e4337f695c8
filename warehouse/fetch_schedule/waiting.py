"""Account fetches that wait for a worker, and late posts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.ahead import ALLOWED_LEAD
from warehouse.fetch_schedule.freshness import STALE
from warehouse.operational.models import PostSchedule, Video
from warehouse.operational.session import driver_of
from warehouse.platforms import PLATFORMS
from warehouse.reading.statements import statement

_WAITING: Final = statement(__name__, "waiting.sql")
"""A fetch that never took place sorts first, as if always due; it waits since it was added."""


def waiting_fetches(session: Session, now: datetime) -> Sequence[tuple[str, int, datetime]]:
    """Return (platform, account fetches due by `now`, when the first became due), in UTC."""
    values = {"platforms": list(PLATFORMS), "now": now}
    return driver_of(session).execute(_WAITING.encode(), values).fetchall()


def late_posts(session: Session, now: datetime) -> Sequence[tuple[str, int, int]]:
    """Return (platform, scheduled posts, late posts).

    Late posts were not fetched for longer than STALE, whatever the outcome, or at an unknown time:
    the recorded one is in the future.
    """
    is_ahead = PostSchedule.looked_at > now + ALLOWED_LEAD
    since = func.coalesce(PostSchedule.looked_at, Video.created_at)
    rows = session.execute(
        select(
            PostSchedule.platform,
            func.count(),
            func.count().filter(or_(since < now - STALE, is_ahead)),
        )
        .join(Video, Video.id == PostSchedule.video_id)
        .group_by(PostSchedule.platform)
        .order_by(PostSchedule.platform)
    )
    return rows.all()
