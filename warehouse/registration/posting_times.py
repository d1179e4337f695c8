"""How long a post's true posting time is awaited where only an estimate is known.

For so long the post is left out of accruals and goals (the macro posted_at_awaited_until of
dbt_project), account fetches ask for its true time, and one that is seen replaces the estimate.
Afterwards the estimate stands: money was computed from it, so it does not move.
"""

from datetime import datetime, timedelta

from sqlalchemy import BindParameter, ColumnElement, and_

from warehouse.operational.models import Video

POSTED_AT_AWAITED = timedelta(hours=48)
"""From when the post was added (business time)."""


def awaited_until(video: Video) -> datetime | None:
    """Return until when the true time is awaited; None where posted_at is no estimate."""
    return video.created_at + POSTED_AT_AWAITED if video.posted_at_is_estimate else None


def is_awaited(now: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    """Tell of a row of Video whether an estimate may still give way to the true time."""
    return and_(Video.posted_at_is_estimate, Video.created_at > now - POSTED_AT_AWAITED)
