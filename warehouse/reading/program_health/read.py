"""Reads all of a project's health from a publication, with its alerts.

Alerts are view drops, views that cannot be read, accounts that post too much, and missing posts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.fetches import (
    PlatformStatus,
    RecentFetches,
    platforms_of_project,
    refused_accounts_of,
)
from warehouse.reading.program_health.figures import (
    CampaignFigures,
    CreatorFigures,
    StaleCreator,
    WindowFigures,
    campaigns,
    posts_by_week,
    stale_creators,
    top_performers,
    underperformers,
    windows,
)
from warehouse.reading.program_health.scope import HealthScope
from warehouse.reading.series.beginnings import day_in
from warehouse.reading.statements import statement

DROPS: Final = statement(__name__, "drops.sql")
"""A video without a reading in the last three days has unknown recent views, not 0. Views of an
older post when they were first known were gained before tracking.
"""

OVER_POSTING: Final = statement(__name__, "over_posting.sql")
UNREAD_VIEWS: Final = statement(__name__, "unread_views.sql")

MISSING = """
with

accounts as (
    select account_id
    from marts.accounts
    where
        organization_id = $organization_id
        and project_id = $project_id
        and is_active
        and not is_deactivated
        {campaign}
),

counts as (
    select
        account_id,
        captured_at,
        video_count
    from marts.account_snapshots
    where
        account_id in (select account_id from accounts)
        and captured_at >= $start - interval 7 days
        and video_count is not null
),

spans as (
    select
        account_id,
        coalesce(
            max(captured_at) filter (where captured_at < $start), min(captured_at)
        ) as first_at,
        max(captured_at) as last_at
    from counts
    group by account_id
),

gained as (
    select
        spans.*,
        ends.video_count - begins.video_count as posts
    from spans
    inner join counts as begins
        on spans.account_id = begins.account_id and spans.first_at = begins.captured_at
    inner join counts as ends
        on spans.account_id = ends.account_id and spans.last_at = ends.captured_at
),

recorded as (
    select
        gained.account_id,
        count(*) as posts
    from gained
    inner join marts.videos as videos using (account_id)
    where
        coalesce(videos.posted_at, videos.first_captured_at) > gained.first_at
        and coalesce(videos.posted_at, videos.first_captured_at) <= gained.last_at
    group by gained.account_id
)

select
    gained.account_id,
    gained.posts - coalesce(recorded.posts, 0) as missing
from gained
left join recorded using (account_id)
where missing > 0
order by missing desc, gained.account_id
"""

OF_CAMPAIGN = """
        and account_id in (
            select account_id
            from marts.campaign_accounts
            where campaign_id = $campaign_id
        )
"""


@dataclass(frozen=True, slots=True)
class ViewDrop:
    """A video that gained in three days under 30% of the three days before."""

    video_id: UUID
    creator_id: UUID | None
    recent_views: int
    earlier_views: int


@dataclass(frozen=True, slots=True)
class UnreadViews:
    """A video whose views were last read over 28 hours before its other counters, or never."""

    video_id: UUID
    creator_id: UUID | None
    views_read_at: datetime | None
    others_read_at: datetime | None


@dataclass(frozen=True, slots=True)
class OverPosting:
    """An account with more than twice its usual daily posts over the last three days.

    `posts_a_day` is the median of earlier days, from the prior window's first day or the account's
    first post on.
    """

    account_id: UUID
    creator_id: UUID
    platform: str
    handle: str
    recent_posts: int
    posts_a_day: float


@dataclass(frozen=True, slots=True)
class MissingPosts:
    """Posts that the platform counted since the window began but that are not recorded."""

    account_id: UUID
    missing: int


def view_drops(cursor: DuckDBPyConnection, scope: HealthScope, until: date) -> list[ViewDrop]:
    """Return up to 25 videos with a drop from at least 1,000 views, the largest first."""
    return [ViewDrop(*row) for row in replace(scope, today=until).read(cursor, DROPS)]


def last_day(cursor: DuckDBPyConnection, scope: HealthScope) -> date:
    """Return the last day with data: the gains of later days are unknown."""
    [(as_of,)] = cursor.execute("select as_of from marts.publication").fetchall()
    return min(scope.today, day_in(scope.zone, as_of))


def unread_views(cursor: DuckDBPyConnection, scope: HealthScope) -> list[UnreadViews]:
    """Return up to 25 videos whose views could not be read, the longest unread first."""
    return [UnreadViews(*row) for row in scope.read(cursor, UNREAD_VIEWS)]


def over_posting(cursor: DuckDBPyConnection, scope: HealthScope) -> list[OverPosting]:
    """Return up to 25 accounts with at least six posts in three days, the most first."""
    return [OverPosting(*row) for row in scope.read(cursor, OVER_POSTING)]


def missing_posts(cursor: DuckDBPyConnection, scope: HealthScope) -> list[MissingPosts]:
    """Return active accounts with missing posts, the most first."""
    statement = MISSING.format(campaign=OF_CAMPAIGN if scope.campaign_id else "")
    return [MissingPosts(*row) for row in scope.read(cursor, statement)]


UNKNOWN = WindowFigures(posts=None, active_creators=None, views=None, engagement_rate=None)


@dataclass(frozen=True, slots=True)
class PublishedHealth:
    """Figures and alerts. None is unknown: nothing was published yet."""

    windows: tuple[WindowFigures, WindowFigures] = (UNKNOWN, UNKNOWN)
    weeks: tuple[int | None, int | None] = (None, None)
    top_performers: Sequence[CreatorFigures] = ()
    underperformers: Sequence[CreatorFigures] = ()
    stale_creators: Sequence[StaleCreator] = ()
    campaigns: Sequence[CampaignFigures] = ()
    view_drops: Sequence[ViewDrop] = ()
    whole_day_drops: Sequence[ViewDrop] = ()
    unread_views: Sequence[UnreadViews] = ()
    over_posting: Sequence[OverPosting] | None = None
    missing_posts: Sequence[MissingPosts] = ()
    platforms: Mapping[str, PlatformStatus] = field(default_factory=dict)
    refused_accounts: Mapping[UUID, RecentFetches] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of accounts and campaigns in it."""
        return sum(map(len, (self.missing_posts, self.refused_accounts, self.campaigns)))


def published_health(cursor: DuckDBPyConnection, scope: HealthScope) -> PublishedHealth:
    """Return a project's health: thirteen queries, over temporary tables of the cursor."""
    scope.lay_out(cursor)
    project = (scope.organization_id, scope.project_id)
    last = last_day(cursor, scope)
    return PublishedHealth(
        windows=windows(cursor, scope),
        weeks=posts_by_week(cursor, scope),
        top_performers=top_performers(cursor, scope),
        underperformers=underperformers(cursor, scope),
        stale_creators=stale_creators(cursor, scope),
        campaigns=campaigns(cursor, scope),
        view_drops=view_drops(cursor, scope, last),
        whole_day_drops=view_drops(cursor, scope, last - timedelta(days=1)),
        unread_views=unread_views(cursor, scope),
        over_posting=over_posting(cursor, scope),
        missing_posts=missing_posts(cursor, scope),
        platforms=platforms_of_project(cursor, *project),
        refused_accounts=refused_accounts_of(cursor, *project),
    )
