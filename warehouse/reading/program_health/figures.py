"""Sums over the posts of the window and the prior one, each as of its own end."""

from dataclasses import dataclass
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
