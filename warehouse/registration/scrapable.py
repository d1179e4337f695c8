"""What may be scraped, and so take readings: the one place that says it; windows of accounts."""

from datetime import UTC, date, datetime, time
from functools import cache
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Select, and_, or_, select

from warehouse.operational.models import Account, Creator, Organization, Project, Video
from warehouse.operational.tracked_videos import COUNTED, tracking_ended_at, tracking_is_on
from warehouse.zones import start_of

# The dates of a window are whole days in both UTC and the organization's zone, whichever reaches
# further.

BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
"""Where discovery goes back to for an account without a start date: before both platforms."""


def in_window(posted_at: datetime, start: date | None, end: date | None, zone: str) -> bool:
    """Tell whether a post lies between two dates, both inclusive; None is open."""
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


# Used when targets are chosen and again when a batch is registered, since much can be decided in
# between. Conditions on one row each; add them to any query of Account or Video.


@cache
def scrapable_account() -> ColumnElement[bool]:
    """Active and not deactivated, in a project and an organization at work."""
    return and_(
        Account.is_active,
        Account.deactivated_at.is_(None),
        Account.creator_id.in_(select(Creator.id).where(Creator.is_active)),
        Account.project_id.in_(_projects_at_work()),
    )


def scrapable_video(is_of_active: ColumnElement[bool] | None = None) -> ColumnElement[bool]:
    """Not excluded, with tracking on (M13), in a project and an organization at work.

    `is_of_active` is as for `tracking_is_on`.
    """
    return and_(
        Video.tracking_status != "excluded",
        tracking_is_on(is_of_active),
        Video.project_id.in_(_projects_at_work()),
    )


def accepts_readings(account: type[Account]) -> ColumnElement[bool]:
    """May be scraped, or could be until its `tracking_ended_at`: takes readings of that time.

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
    """Whose comments may be collected: what may be scraped and counts, so nothing under review."""
    return and_(scrapable_video(), Video.tracking_status.in_(COUNTED))


@cache
def _projects_at_work() -> Select[UUID]:
    return (
        select(Project.id)
        .join(Organization, Organization.id == Project.organization_id)
        .where(Project.is_archived.is_(False), Organization.is_suspended.is_(False))
    )
