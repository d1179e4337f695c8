"""Sums over the posts of the window and the prior one, each as of its own end, also by creator."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.program_health.scope import HealthScope
from warehouse.reading.statements import statement

WINDOWS: Final = statement(__name__, "windows.sql")

WEEKS: Final = statement(__name__, "weeks.sql")

CAMPAIGNS: Final = statement(__name__, "campaigns.sql")


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """Figures of a window's posts. Views are None if unknown, 0 without posts.

    `engagement_rate` is a percentage of views, None if these are 0 or unknown. All are None before
    the first publication.
    """

    posts: int | None
    active_creators: int | None
    views: int | None
    engagement_rate: float | None


@dataclass(frozen=True, slots=True)
class CampaignFigures:
    """A campaign's posts of the window, and their views (None if unknown)."""

    campaign_id: UUID
    posts: int
    views: int | None


def windows(cursor: DuckDBPyConnection, scope: HealthScope) -> tuple[WindowFigures, WindowFigures]:
    current, prior = scope.read(cursor, WINDOWS)
    return WindowFigures(*current), WindowFigures(*prior)


def posts_by_week(cursor: DuckDBPyConnection, scope: HealthScope) -> tuple[int, int]:
    """Return the numbers of posts in the last seven days, and in the seven before."""
    this_week, last_week = scope.read(cursor, WEEKS)[0]
    return this_week, last_week


def campaigns(cursor: DuckDBPyConnection, scope: HealthScope) -> list[CampaignFigures]:
    """Return campaigns with a post of the window in scope, the most views first."""
    return [CampaignFigures(*row) for row in scope.read(cursor, CAMPAIGNS)]


BY_CREATOR = """
with

by_creator as (
    select
        creator_id,
        count(*) as posts,
        sum(views) as views,
        sum(views) / count(*) as views_per_post,
        rules.engagement_rate(
            rules.engagement(sum(likes), sum(comments), sum(shares), sum(saves)), sum(views)
        ) as engagement_rate
    from counted
    where is_current and creator_id is not null
    group by creator_id
    having sum(views) is not null
),
"""


TOP = """
top as (
    select * from by_creator
    order by views desc, creator_id
    limit 10
)

select * from top
order by views desc, creator_id
"""

UNDER = """
under as (
    select * from by_creator
    where views_per_post < 0.5 * (select median(views_per_post) from by_creator)
    order by views_per_post, creator_id
    limit 10
)

select * from under
order by views_per_post, creator_id
"""

STALE: Final = statement(__name__, "stale.sql")


@dataclass(frozen=True, slots=True)
class CreatorFigures:
    """A creator's posts of the window with their views; the rate is a percentage of views."""

    creator_id: UUID
    posts: int
    views: int
    views_per_post: float
    engagement_rate: float | None


@dataclass(frozen=True, slots=True)
class StaleCreator:
    """A creator whose last post is `days` days old."""

    creator_id: UUID
    last_posted_at: datetime
    days: int


def top_performers(cursor: DuckDBPyConnection, scope: HealthScope) -> list[CreatorFigures]:
    """Return the ten creators with the most known views."""
    return _creators(cursor, scope, TOP)


def underperformers(cursor: DuckDBPyConnection, scope: HealthScope) -> list[CreatorFigures]:
    """Return the ten lowest of those with views per post below half of the median."""
    return _creators(cursor, scope, UNDER)


def stale_creators(cursor: DuckDBPyConnection, scope: HealthScope) -> list[StaleCreator]:
    """Return up to 25 creators with an active account and no post for 14 days, oldest first."""
    return [StaleCreator(*row) for row in scope.read(cursor, STALE)]


def _creators(cursor: DuckDBPyConnection, scope: HealthScope, which: str) -> list[CreatorFigures]:
    return [CreatorFigures(*row) for row in scope.read(cursor, BY_CREATOR + which)]
