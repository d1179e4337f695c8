"""Posts to scrape one by one: those that no list of their accounts shows, and those of jobs.

`registration.scrapable` defines what may be scraped; registration assigns the readings.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.conditions import HAS_VIEWS
from warehouse.operational.models import Account, PostSchedule, Video
from warehouse.operational.tracked_videos import among_active_accounts
from warehouse.registration.scrapable import scrapable_video


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoToScrape:
    """A post to scrape. `handle` is None if no project knows its author.

    `read_at` is its last reading's instant, None without one. `has_views` tells whether it is a
    video, or a reading showed its views.
    """

    platform: str
    platform_video_id: str
    handle: str | None
    platform_user_id: str | None = None
    read_at: datetime | None = None
    has_views: bool = False


def scheduled_videos(session: Session) -> list[VideoToScrape]:
    """Return every scrapable post, the one read longest ago first.

    A crawl skips those that it has just read in their accounts' lists. The others were added by
    URL, or no list shows them, or only far behind.
    """
    statement = (
        select(
            Video.platform,
            Video.platform_video_id,
            func.max(Account.handle).label("handle"),
            func.max(Account.platform_user_id).label("platform_user_id"),
            func.max(Video.last_scraped_at).label("last_scraped_at"),
            func.bool_or(HAS_VIEWS).label("has_views"),
        )
        .outerjoin(Account, Account.id == Video.account_id)
        .outerjoin(PostSchedule, PostSchedule.video_id == Video.id)
        .where(scrapable_video(among_active_accounts()))
        .group_by(Video.platform, Video.platform_video_id)
        .order_by(
            func.max(Video.last_scraped_at).nulls_first(), Video.platform, Video.platform_video_id
        )
    )
    return [_video(row) for row in session.execute(statement)]


def load_requested_videos(
    session: Session, video_ids: Collection[UUID]
) -> dict[UUID, VideoToScrape]:
    rows = session.execute(_tracked_videos(Video.id.in_(video_ids)))
    return {row.id: _video(row) for row in rows}


def videos_of_accounts(
    session: Session, account_ids: Collection[UUID]
) -> dict[UUID, list[VideoToScrape]]:
    """Return the scrapable posts of each account, newest first, for a job for all of them."""
    rows = session.execute(_tracked_videos(Video.account_id.in_(account_ids)))
    videos: dict[UUID, list[VideoToScrape]] = {account_id: [] for account_id in account_ids}
    for row in rows:
        videos[row.account_id].append(_video(row))
    return videos


def _tracked_videos(condition: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    return (
        select(
            Video.id,
            Video.account_id,
            Video.platform,
            Video.platform_video_id,
            Account.handle,
            Account.platform_user_id,
            Video.last_scraped_at,
            HAS_VIEWS.label("has_views"),
        )
        .outerjoin(Account, Account.id == Video.account_id)
        .outerjoin(PostSchedule, PostSchedule.video_id == Video.id)
        .where(scrapable_video(), condition)
        .order_by(Video.posted_at.desc(), Video.id)
    )


def _video(row: Any) -> VideoToScrape:
    return VideoToScrape(
        platform=row.platform,
        platform_video_id=row.platform_video_id,
        handle=row.handle,
        platform_user_id=row.platform_user_id,
        read_at=row.last_scraped_at,
        has_views=row.has_views,
    )
