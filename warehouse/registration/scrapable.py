"""Conditions for what may be scraped and accepts readings; tracking windows of accounts."""

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Row, Select, and_, or_, select

from warehouse.operational.models import Account, Creator, Organization, Project, Video
from warehouse.operational.tracked_videos import COUNTED, tracking_ended_at, tracking_is_on
from warehouse.zones import start_of

# Dates of a window are whole days in both UTC and the organization's zone, whichever reaches
# further.

BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
"""Start of discovery for an account without a start date: before all platforms."""
LISTING_DELAY = timedelta(days=2)
"""How long after a window's end discoveries still search for its posts."""


def in_window(posted_at: datetime, start: date | None, end: date | None, zone: str) -> bool:
    """Return whether a post is between two dates, both inclusive; None is open."""
    if start is None and end is None:
        return True
    days = (posted_at.astimezone(UTC).date(), posted_at.astimezone(ZoneInfo(zone)).date())
    return any((start is None or start <= day) and (end is None or day <= end) for day in days)


def window_start(start: date | None, zone: str) -> datetime:
    """Return the first instant of the window, in UTC."""
    if start is None:
        return BEGINNING
    midnights = (datetime.combine(start, time(), UTC), start_of(start, zone))
    return max(min(midnights), BEGINNING)


def search_start(account: Row[Any]) -> datetime:
    """Return from when on posts are searched for an account.

    Once its window was searched after its end, posts published since are outside of it.
    """
    searched_at: datetime | None = account.last_discovered_at
    ends_on, zone = account.tracking_end_date, account.analytics_tz
    if searched_at and not in_window(searched_at - LISTING_DELAY, None, ends_on, zone):
        return searched_at
    return window_start(account.tracking_start_date, zone)


# Applied when targets are chosen and again when a batch is registered, because decisions may change
# in between. Each is a condition on one row, for any query of Account or Video.


@cache
def scrapable_account() -> ColumnElement[bool]:
    """Match accounts active and not deactivated, of active projects and organizations."""
    return and_(
        Account.is_active,
        Account.deactivated_at.is_(None),
        Account.creator_id.in_(select(Creator.id).where(Creator.is_active)),
        Account.project_id.in_(_projects_at_work()),
    )


def scrapable_video(is_of_active: ColumnElement[bool] | None = None) -> ColumnElement[bool]:
    """Match videos not excluded, with tracking on (M13), of active projects and organizations.

    `is_of_active` is as for `tracking_is_on`.
    """
    return and_(
        Video.tracking_status != "excluded",
        tracking_is_on(is_of_active),
        Video.project_id.in_(_projects_at_work()),
    )


def accepts_readings(account: type[Account]) -> ColumnElement[bool]:
    """Match videos that are scrapable, or were until `tracking_ended_at`, for earlier readings.

    `account` is the video's own, joined by the caller.
    """
    return or_(
        scrapable_video(),
        and_(
            Video.tracking_status != "excluded",
            Video.tracking_disabled.is_(False),
            tracking_ended_at(account).is_not(None),
            or_(account.id.is_(None), account.is_active, account.removed_at.is_not(None)),
            Video.project_id.in_(_projects_at_work()),
        ),
    )


def collectable_video() -> ColumnElement[bool]:
    """Match videos whose comments may be collected: scrapable and counted, not under review."""
    return and_(scrapable_video(), Video.tracking_status.in_(COUNTED))


@cache
def _projects_at_work() -> Select[UUID]:
    return (
        select(Project.id)
        .join(Organization, Organization.id == Project.organization_id)
        .where(Project.is_archived.is_(False), Organization.is_suspended.is_(False))
    )
