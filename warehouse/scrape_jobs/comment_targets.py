"""Whose comments are due: each post once, however many projects of organizations want them.

A video is due once it is three days old and its platform shows enough comments (contract, Comment
endpoints), then again whenever it has become half as old again, and sooner after a failure. What
an organization may have collected in a day is `operational.comment_settings`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection
from sqlalchemy import ColumnElement, Select, case, extract, func, literal, or_, select
from sqlalchemy.orm import Session

from warehouse.operational.comment_settings import allowances
from warehouse.operational.models import Account, CommentCollection, Video
from warehouse.reading.videos import latest_counts
from warehouse.registration.scrapable import collectable_video

FIRST_AFTER = timedelta(days=3)
RETRY_AFTER = timedelta(hours=4)
"""After one failed walk; twice as long after each further one, up to the usual wait."""
MOST_DOUBLINGS = 10
AT_A_TIME = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentsToCollect:
    """A post whose comments are due, and the registry rows for whose sake.

    `handle` is None where no project knows its author.
    """

    platform: str
    platform_video_id: str
    handle: str | None
    video_ids: tuple[UUID, ...]


def comments_due(
    session: Session, publication: DuckDBPyConnection, now: datetime
) -> list[CommentsToCollect]:
    """Return the posts to walk now, within what each organization's day has left.

    Those never walked come first, the newest of them first, then the others by their last walk.
    `publication` tells how many comments platforms show.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    for organization_id, allowance in allowances(session, now).items():
        wanted = _wanted(session, publication, organization_id, allowance.min_comment_count, now)
        for row in islice(wanted, allowance.left):
            found.setdefault((row.platform, row.platform_video_id), []).append(row)
    return [_target(rows) for rows in found.values()]


def _wanted(
    session: Session,
    publication: DuckDBPyConnection,
    organization_id: UUID,
    min_comment_count: int,
    now: datetime,
) -> Iterator[Any]:
    """Go through the organization's due videos whose platform shows enough comments."""
    rows = session.execute(
        _due(organization_id, now).execution_options(yield_per=AT_A_TIME)
    ).partitions()
    for some in rows:
        counts = latest_counts(publication, organization_id, [row.id for row in some])
        for row in some:
            shown = counts[row.id].comment_count if row.id in counts else None
            if shown is not None and shown >= min_comment_count:
                yield row


def _due(organization_id: UUID, now: datetime) -> Select[*tuple[Any, ...]]:
    published_at = func.coalesce(Video.posted_at, Video.created_at)
    walked_at = CommentCollection.walked_at
    return (
        select(Video.id, Video.platform, Video.platform_video_id, Account.handle)
        .outerjoin(Account, Account.id == Video.account_id)
        .outerjoin(CommentCollection, CommentCollection.video_id == Video.id)
        .where(
            Video.organization_id == organization_id,
            collectable_video(),
            published_at <= now - FIRST_AFTER,
            or_(walked_at.is_(None), _is_due_again(published_at, now)),
        )
        .order_by(walked_at.asc().nulls_first(), published_at.desc(), Video.id)
    )


def _is_due_again(published_at: ColumnElement[datetime], now: datetime) -> ColumnElement[bool]:
    """Tell whether a video was left alone for half of its age at the last walk; see RETRY_AFTER."""
    walked_at, failures = CommentCollection.walked_at, CommentCollection.failures
    usual = extract("epoch", walked_at - published_at) / 2
    doublings = func.power(2, func.least(failures - 1, MOST_DOUBLINGS))
    after_failures = func.least(usual, RETRY_AFTER.total_seconds() * doublings)
    waited = extract("epoch", literal(now) - walked_at)
    return waited >= case((failures == 0, usual), else_=after_failures)


def _target(rows: list[Any]) -> CommentsToCollect:
    return CommentsToCollect(
        platform=rows[0].platform,
        platform_video_id=rows[0].platform_video_id,
        handle=next((row.handle for row in rows if row.handle), None),
        video_ids=tuple(row.id for row in rows),
    )
