"""Content of the share page: rows from PostgreSQL, numbers from the current publication.

All numbers are from one publication, whose as_of the page shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from duckdb import DuckDBPyConnection
from sqlalchemy.orm import Session

from serving_api.charts.chart import Chart, Line
from serving_api.connect_page.offers import connectable_of
from serving_api.connect_page.service import LoginsByPlatform
from serving_api.desk.periods import Period, PeriodQuery, period_at
from serving_api.kit.days import DayRange
from serving_api.kit.published import Published
from serving_api.kit.rows import rows_of
from serving_api.resources.organization import logos, organizations
from serving_api.resources.tracking.accounts import repository as account_rows
from serving_api.resources.tracking.videos.presenter import title_of
from serving_api.share_page.payouts import Payouts, payouts_of
from warehouse.operational.models import Creator, ShareLink, Video
from warehouse.operational.tracked_videos import COUNTED
from warehouse.plans import plan
from warehouse.platforms import PLATFORM_NAMES
from warehouse.reading.creator_overview import (
    CreatorTotals,
    DayOfViews,
    TopVideo,
    creator_totals,
    top_videos,
    views_by_day,
)
from warehouse.reading.series.known import zone_of_days

TOP = 10


@dataclass(frozen=True, slots=True)
class Handle:
    platform: str
    handle: str


@dataclass(frozen=True, slots=True)
class Post:
    """A post with its last known counts. Times are in the organization's zone."""

    title: str
    url: str
    platform: str
    posted_on: date | None
    counts: TopVideo
    views_as_of: datetime | None


@dataclass(frozen=True, slots=True)
class Analytics:
    """The analytics section. Times are in the organization's zone."""

    totals: CreatorTotals
    period: Period
    views: Chart
    from_before: int
    posts: Sequence[Post]
    as_of: datetime
    last_read_at: datetime | None
    zone: str


@dataclass(frozen=True, slots=True)
class Content:
    """The page; sections are None if hidden or without data."""

    name: str
    organization: str
    logo: str | None
    handles: Sequence[Handle]
    analytics: Analytics | None
    payouts: Payouts | None
    connectable: bool


def content_of(
    session: Session,
    numbers: Published,
    logins: LoginsByPlatform,
    link: ShareLink,
    sent: PeriodQuery,
) -> Content:
    """Return the page of a link; `logins` are the connectable platforms.

    Raises InvalidQuery and RetentionExceeded for the period.
    """
    organization_id, creator_id = link.organization_id, link.creator_id
    organization = organizations.require(session, organization_id)
    creator = session.scalar(rows_of(Creator, organization_id, creator_id))
    accounts = account_rows.present_of_creators(session, organization_id, [creator_id])
    handles = [Handle(PLATFORM_NAMES[account.platform], account.handle) for account in accounts]
    name = (creator and creator.display_name) or "Creator"
    retention = plan(organization.plan).tier_retention_days
    analytics = _analytics(session, numbers, link, sent, retention) if link.show_analytics else None
    payouts = payouts_of(session, numbers, link) if link.show_payouts else None
    connectable = bool(connectable_of(session, organization_id, creator_id, logins))
    return Content(
        name=name,
        organization=organization.name,
        logo=logos.address_of(organization.logo_path),
        handles=handles,
        analytics=analytics,
        payouts=payouts,
        connectable=connectable,
    )


def _analytics(
    session: Session, numbers: Published, link: ShareLink, sent: PeriodQuery, retention: int | None
) -> Analytics | None:
    """Return the analytics section, or None before the creator's first publication."""
    with numbers.of(link.organization_id).reading() as reading:
        if reading is None:
            return None
        cursor, publication = reading
        totals = creator_totals(cursor, link.organization_id, link.creator_id)
        zone = zone_of_days(cursor, link.organization_id)
        if totals is None or zone is None:
            return None
        local = ZoneInfo(zone)
        as_of = publication.as_of.astimezone(local)
        today = as_of.date()
        period = period_at(sent, zone=zone, today=today, whole_to=None, retention=retention)
        days = _days(cursor, link, period.days)
        return Analytics(
            totals=totals,
            period=period,
            views=_chart(days, today),
            from_before=sum(day.had_before for day in days),
            posts=_posts(session, cursor, link, local),
            as_of=as_of,
            last_read_at=totals.last_read_at and totals.last_read_at.astimezone(local),
            zone=zone,
        )


def _days(cursor: DuckDBPyConnection, link: ShareLink, days: DayRange) -> list[DayOfViews]:
    return views_by_day(
        cursor,
        link.organization_id,
        link.creator_id,
        from_day=days.from_day,
        to_day=days.to_day,
        zone=days.zone,
    )


def _chart(days: Sequence[DayOfViews], today: date) -> Chart:
    """Chart views gained; views from before tracking are only in the table."""
    lines = [Line("Views", [day.gained for day in days], "bars")]
    if any(day.had_before for day in days):
        lines.append(
            Line("From before tracking", [day.had_before or None for day in days], "aside")
        )
    return Chart("Views by day", [day.day for day in days], lines, today=today)


def _posts(
    session: Session, cursor: DuckDBPyConnection, link: ShareLink, zone: ZoneInfo
) -> list[Post]:
    """Return the posts with the most views, without posts that no longer count."""
    top = top_videos(cursor, link.organization_id, link.creator_id, TOP)
    counting = rows_of(Video, link.organization_id).where(
        Video.creator_id == link.creator_id,
        Video.id.in_([entry.video_id for entry in top]),
        Video.tracking_status.in_(COUNTED),
    )
    rows: dict[UUID, Video] = {row.id: row for row in session.scalars(counting)}
    return [_post(rows[entry.video_id], entry, zone) for entry in top if entry.video_id in rows]


def _post(row: Video, counts: TopVideo, zone: ZoneInfo) -> Post:
    return Post(
        title=title_of(row),
        url=row.url,
        platform=PLATFORM_NAMES[row.platform],
        posted_on=row.posted_at and row.posted_at.astimezone(zone).date(),
        counts=counts,
        views_as_of=counts.views_as_of and counts.views_as_of.astimezone(zone),
    )
