"""Reasons for which comments were not collected yet, as `comment_targets` would decide now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import Session

from warehouse.operational.models import CommentCollection, Video
from warehouse.registration.scrapable import collectable_video
from warehouse.scrape_jobs.comment_targets import AT_A_TIME, FIRST_AFTER, PUBLISHED_AT

Delay = Literal["not_tracked", "too_young", "not_published", "too_few", "refused", "due"]
VisibleCounts = Callable[[Sequence[UUID]], Mapping[UUID, int | None]]
"""Returns the number of comments of each video that its platform shows, by the publication."""


def delays_of(
    session: Session,
    which: ColumnElement[bool],
    *,
    visible_counts: VisibleCounts,
    at_least: int,
    now: datetime,
) -> Iterator[tuple[UUID, Delay]]:
    """Yield (video id, reason) for videos without collected comments among `which`.

    The first reason that applies. `due` ones are crawled next, within the organization's daily
    allowance. The caller excludes videos with collected comments.
    """
    videos = session.execute(_videos(which).execution_options(yield_per=AT_A_TIME))
    for some in videos.partitions():
        counts = visible_counts([row.id for row in some])
        for row in some:
            yield row.id, _delay(row, counts.get(row.id), at_least, now)


def _videos(which: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    return (
        select(
            Video.id,
            collectable_video().label("is_collectable"),
            PUBLISHED_AT.label("published_at"),
            CommentCollection.failures,
        )
        .outerjoin(CommentCollection, CommentCollection.video_id == Video.id)
        .where(which)
    )


def _delay(row: Any, count: int | None, at_least: int, now: datetime) -> Delay:
    if not row.is_collectable:
        return "not_tracked"
    if row.published_at > now - FIRST_AFTER:
        return "too_young"
    if count is None:
        return "not_published"
    if count < at_least:
        return "too_few"
    if row.failures is None:
        return "due"
    return "refused" if row.failures else "not_published"
