"""Posts whose comments are due, each once for all projects that collect them, or why not yet.

A video is due once it is three days old and its platform shows enough comments (contract, Comment
endpoints), then each time its age has grown by half, and sooner after a failure. Daily allowances
are in `operational.comment_settings`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, islice, zip_longest
from typing import Any, Literal
from uuid import UUID

from duckdb import DuckDBPyConnection
from sqlalchemy import ColumnElement, Interval, Select, Uuid, any_, case, func, literal, or_, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from warehouse.operational.comment_settings import allowances
from warehouse.operational.models import Account, CommentCollection, Video
from warehouse.reading.videos import latest_counts
from warehouse.registration.scrapable import collectable_video

FIRST_AFTER = timedelta(days=3)
RETRY_AFTER = timedelta(hours=4)
"""After one failed crawl; doubled after each further one, up to the usual delay."""
MOST_DOUBLINGS = 10
AT_A_TIME = 2_000

PUBLISHED_AT = func.coalesce(Video.posted_at, Video.created_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentsToCollect:
    """A post whose comments are due, and the registry rows that collect them.

    `handle` is None if no project knows its author.
    """

    platform: str
    platform_video_id: str
    handle: str | None
    video_ids: tuple[UUID, ...]


def comments_due(
    session: Session, publication: DuckDBPyConnection, now: datetime
) -> list[CommentsToCollect]:
    """Return the posts to crawl now, within each organization's daily allowance.

    Organizations take turns, because a run may not get to all posts. Each begins with the newest of
    those never crawled, then come others by their last crawl. `publication` has the numbers of
    comments.
    """
    due_by_organization = [
        list(
            islice(
                _due_videos(
                    session, publication, organization_id, allowance.min_comment_count, now
                ),
                allowance.left,
            )
        )
        for organization_id, allowance in allowances(session, now).items()
    ]
    rows_of_post: dict[tuple[str, str], list[Any]] = {}
    for row in filter(None, chain.from_iterable(zip_longest(*due_by_organization))):
        rows_of_post.setdefault((row.platform, row.platform_video_id), []).append(row)
    return [_target(rows) for rows in rows_of_post.values()]


def due_again(
    published_at: datetime, walked_at: datetime, failures: ColumnElement[int]
) -> ColumnElement[datetime]:
    """Return when comments are due after a crawl: when the post's age has grown by half.

    After consecutive failures, see RETRY_AFTER.
    """
    usual = literal((walked_at - published_at).total_seconds() / 2)
    doublings = func.power(2, func.least(failures - 1, MOST_DOUBLINGS))
    after_failures = func.least(usual, RETRY_AFTER.total_seconds() * doublings)
    seconds = case((failures == 0, usual), else_=after_failures)
    wait = func.make_interval(0, 0, 0, 0, 0, 0, seconds, type_=Interval())
    return literal(walked_at) + wait


def _due_videos(
    session: Session,
    publication: DuckDBPyConnection,
    organization_id: UUID,
    min_comment_count: int,
    now: datetime,
) -> Iterator[Any]:
    """Yield the organization's due videos whose platform shows enough comments."""
    parameters = {"organization_id": organization_id, "least": min_comment_count}
    never = publication.execute(_NEVER_CRAWLED, parameters)
    while ids := [video_id for (video_id,) in never.fetchmany(AT_A_TIME)]:
        yield from session.execute(_first(organization_id, ids, now))
    rows = session.execute(
        _further(organization_id, now).execution_options(yield_per=AT_A_TIME)
    ).partitions()
    for some in rows:
        counts = latest_counts(publication, organization_id, [row.id for row in some])
        for row in some:
            comment_count = counts[row.id].comment_count if row.id in counts else None
            if comment_count is not None and comment_count >= min_comment_count:
                yield row


_NEVER_CRAWLED = """
    select video_id
    from marts.videos as videos
    anti join marts.video_comments using (video_id)
    where videos.organization_id = $organization_id and videos.comment_count >= $least
    order by coalesce(posted_at, first_captured_at) desc, video_id
"""
"""Videos without crawls in the publication, so that PostgreSQL is asked for few of all posts."""

_COLUMNS = (Video.id, Video.platform, Video.platform_video_id, Account.handle)


def _first(
    organization_id: UUID, videos: Sequence[UUID], now: datetime
) -> Select[*tuple[Any, ...]]:
    """Select those of the videos that were never crawled and are old enough, the newest first."""
    return (
        select(*_COLUMNS)
        .outerjoin(Account, Account.id == Video.account_id)
        .outerjoin(CommentCollection, CommentCollection.video_id == Video.id)
        .where(
            Video.id == any_(literal(list(videos), ARRAY(Uuid))),
            Video.organization_id == organization_id,
            collectable_video(),
            PUBLISHED_AT <= now - FIRST_AFTER,  # noqa: SIM300  a column
            CommentCollection.video_id.is_(None),
        )
        .order_by(PUBLISHED_AT.desc(), Video.id)
    )


def _further(organization_id: UUID, now: datetime) -> Select[*tuple[Any, ...]]:
    """Select the videos that are due again, the one crawled longest ago first."""
    return (
        select(*_COLUMNS)
        .outerjoin(Account, Account.id == Video.account_id)
        .join(CommentCollection, CommentCollection.video_id == Video.id)
        .where(
            CommentCollection.organization_id == organization_id,
            or_(CommentCollection.due_at <= now, CommentCollection.due_at.is_(None)),
            Video.organization_id == organization_id,
            collectable_video(),
        )
        .order_by(CommentCollection.walked_at, Video.id)
    )


def _target(rows: list[Any]) -> CommentsToCollect:
    return CommentsToCollect(
        platform=rows[0].platform,
        platform_video_id=rows[0].platform_video_id,
        handle=next((row.handle for row in rows if row.handle), None),
        video_ids=tuple(row.id for row in rows),
    )


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
