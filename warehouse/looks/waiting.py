"""What waits for a worker: visits that are due, and posts that are late."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warehouse.looks.freshness import STALE
from warehouse.operational.models import PostLook, Video, Visit
from warehouse.platforms import PLATFORMS


def waiting_visits(session: Session, now: datetime) -> Sequence[tuple[str, int, datetime]]:
    """Return each platform with visits due by `now` (UTC), how many, and when the first was due."""
    rows = session.execute(
        select(Visit.platform, func.count(), func.min(Visit.due_at))
        .where(Visit.platform.in_(PLATFORMS), Visit.due_at <= now)
        .group_by(Visit.platform)
        .order_by(Visit.platform)
    )
    return rows.all()


def late_posts(session: Session, now: datetime) -> Sequence[tuple[str, int, int]]:
    """Return each platform with how many posts are in the plan, and how many of them are late.

    Those that nobody looked at for longer than STALE, whatever became of the look.
    """
    since = func.coalesce(PostLook.looked_at, Video.created_at)
    rows = session.execute(
        select(PostLook.platform, func.count(), func.count().filter(since < now - STALE))
        .join(Video, Video.id == PostLook.video_id)
        .group_by(PostLook.platform)
        .order_by(PostLook.platform)
    )
    return rows.all()
