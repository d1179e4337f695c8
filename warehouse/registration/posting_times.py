"""How long a post's true posting time is awaited if only an estimate is known.

Until then the post is excluded from accruals and goals (dbt macro posted_at_awaited_until),
account fetches ask for its true time, and a true time replaces the estimate. Afterwards the
estimate is final, because amounts were computed from it.
"""

from datetime import datetime, timedelta

from sqlalchemy import BindParameter, ColumnElement, and_

from warehouse.operational.models import Video

POSTED_AT_AWAITED = timedelta(hours=48)
"""Since the post was added (business time)."""


def awaited_until(video: Video) -> datetime | None:
    """Return until when the true time is awaited; None if posted_at is no estimate."""
    return video.created_at + POSTED_AT_AWAITED if video.posted_at_is_estimate else None


def is_awaited(now: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    """Return the condition that a Video's estimate may still be replaced by the true time."""
    return and_(Video.posted_at_is_estimate, Video.created_at > now - POSTED_AT_AWAITED)
