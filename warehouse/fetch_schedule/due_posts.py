"""Posts of account fetches that are due, or nearly so."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from warehouse.fetch_schedule.conditions import HAS_VIEWS_SQL
from warehouse.operational.session import driver_of

IS_DUE = """(
    post_looks.due_at <= {now}
    or (
        post_looks.reason not in ('day_end', 'period_end')
        and post_looks.looked_at + (post_looks.due_at - post_looks.looked_at) * 0.75 <= {now}
    )
)"""
"""Whether an account fetch at that instant reads a post. Reading it early saves a request."""

_DUE_POSTS = f"""
    select distinct on (post_looks.subject, post_looks.platform_video_id)
        post_looks.subject, post_looks.platform_video_id, videos.posted_at,
        coalesce(accounts.handle, videos.author_handle), accounts.platform_user_id,
        bool_or(videos.last_scraped_at is not null) over (
            partition by post_looks.subject, post_looks.platform_video_id
        ),
        bool_or({HAS_VIEWS_SQL}) over (
            partition by post_looks.subject, post_looks.platform_video_id
        ),
        bool_or(
            post_looks.reason in ('period_end', 'threshold', 'day_end')
            or post_looks.read_at >= post_looks.looked_at
        ) over (partition by post_looks.subject, post_looks.platform_video_id)
    from post_looks
    inner join videos on post_looks.video_id = videos.id
    left join accounts on videos.account_id = accounts.id
    where post_looks.platform = %(platform)s and post_looks.subject = any(%(subjects)s)
        and {IS_DUE.format(now="%(now)s")}
    order by post_looks.subject, post_looks.platform_video_id
"""  # noqa: S608  SQL of ours


@dataclass(frozen=True, slots=True)
class DuePost:
    """A post of an account fetch that is due, or nearly so.

    `handle` and `platform_user_id` are its author's. They and `posted_at` are None if unknown.
    `was_read`: it has a reading; `has_views`: it is a video, or a reading showed its views.
    `retries_soon`: its last fetch was answered, or a day, period or threshold waits for it.
    """

    platform_video_id: str
    posted_at: datetime | None
    handle: str | None
    platform_user_id: str | None
    was_read: bool
    has_views: bool
    retries_soon: bool


def due_posts(
    session: Session, platform: str, subjects: Collection[str], now: datetime
) -> Mapping[str, list[DuePost]]:
    """Return due posts by subject, an empty list if only the account is due."""
    values = {"platform": platform, "subjects": list(subjects), "now": now}
    posts_by_subject: dict[str, list[DuePost]] = {subject: [] for subject in subjects}
    for subject, *post in driver_of(session).execute(_DUE_POSTS, values):
        posts_by_subject[subject].append(DuePost(*post))
    return posts_by_subject
