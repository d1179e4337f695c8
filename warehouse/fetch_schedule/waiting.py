"""Account fetches that wait for a worker, and late posts."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.freshness import STALE
from warehouse.operational.models import PostSchedule, Video
from warehouse.operational.session import driver_of
from warehouse.platforms import PLATFORMS

_WAITING = """
    select visits.platform, count(*), min(greatest(visits.due_at, added.at))
    from visits
    left join lateral (
        select min(created_at) as at
        from (
            select created_at from accounts
            where visits.looked_at is null
                and accounts.platform = visits.platform
                and accounts.platform_user_id = visits.subject
            union all
            select created_at from accounts
            where visits.looked_at is null
                and accounts.platform = visits.platform
                and accounts.handle = substr(visits.subject, 2)
                and starts_with(visits.subject, '@')
            union all
            select videos.created_at
            from post_looks inner join videos on post_looks.video_id = videos.id
            where post_looks.looked_at is null
                and post_looks.platform = visits.platform
                and post_looks.subject = visits.subject
        ) as never
    ) as added on visits.oldest_at is null
    where visits.platform = any(%(platforms)s) and visits.due_at <= %(now)s
    group by visits.platform
    order by visits.platform
"""
"""A fetch that never took place sorts first, as if always due; it waits since it was added."""


def waiting_fetches(session: Session, now: datetime) -> Sequence[tuple[str, int, datetime]]:
    """Return (platform, account fetches due by `now`, when the first became due), in UTC."""
    values = {"platforms": list(PLATFORMS), "now": now}
    return driver_of(session).execute(_WAITING.encode(), values).fetchall()


def late_posts(session: Session, now: datetime) -> Sequence[tuple[str, int, int]]:
    """Return (platform, scheduled posts, late posts).

    Late posts were not fetched for longer than STALE, whatever the outcome.
    """
    since = func.coalesce(PostSchedule.looked_at, Video.created_at)
    rows = session.execute(
        select(PostSchedule.platform, func.count(), func.count().filter(since < now - STALE))
        .join(Video, Video.id == PostSchedule.video_id)
        .group_by(PostSchedule.platform)
        .order_by(PostSchedule.platform)
    )
    return rows.all()
