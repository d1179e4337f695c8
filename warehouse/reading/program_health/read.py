"""Reads all of a project's health from a publication."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.fetches import (
    PlatformStatus,
    RecentFetches,
    platforms_of_project,
    refused_accounts_of,
)
from warehouse.reading.program_health.alerts import (
    MissingPosts,
    OverPosting,
    ViewDrop,
    missing_posts,
    over_posting,
    view_drops,
)
from warehouse.reading.program_health.figures import (
    CampaignFigures,
    WindowFigures,
    campaigns,
    posts_by_week,
    windows,
)
from warehouse.reading.program_health.people import (
    CreatorFigures,
    StaleCreator,
    stale_creators,
    top_performers,
    underperformers,
)
from warehouse.reading.program_health.scope import HealthScope

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
    over_posting: Sequence[OverPosting] | None = None
    missing_posts: Sequence[MissingPosts] = ()
    platforms: Mapping[str, PlatformStatus] = field(default_factory=dict)
    refused_accounts: Mapping[UUID, RecentFetches] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of accounts and campaigns in it."""
        return sum(map(len, (self.missing_posts, self.refused_accounts, self.campaigns)))


def published_health(cursor: DuckDBPyConnection, scope: HealthScope) -> PublishedHealth:
    """Return a project's health: eleven queries, over temporary tables of the cursor."""
    scope.lay_out(cursor)
    project = (scope.organization_id, scope.project_id)
    return PublishedHealth(
        windows=windows(cursor, scope),
        weeks=posts_by_week(cursor, scope),
        top_performers=top_performers(cursor, scope),
        underperformers=underperformers(cursor, scope),
        stale_creators=stale_creators(cursor, scope),
        campaigns=campaigns(cursor, scope),
        view_drops=view_drops(cursor, scope),
        over_posting=over_posting(cursor, scope),
        missing_posts=missing_posts(cursor, scope),
        platforms=platforms_of_project(cursor, *project),
        refused_accounts=refused_accounts_of(cursor, *project),
    )
