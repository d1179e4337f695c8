"""Whose posts and which days a project's health is about, and the SQL table of those posts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.series.local_days import LocalDays
from warehouse.zones import start_of

A_YEAR = timedelta(days=366)
"""Days are exact this far back, also where clocks changed in between."""

Row = tuple[Any, ...]

POSTS = """
with

posts as (
    select
        *,
        {day} as appeared_on
    from (
        select
            *,
            coalesce(posted_at, first_captured_at) as appeared_at
        from marts.videos
        where
            organization_id = $organization_id
            and project_id = $project_id
            and is_counted
            {campaign}
    )
    where appeared_at <= (select as_of from marts.publication)
),
"""

OF_CAMPAIGN = """
            and video_id in (
                select video_id
                from marts.campaign_videos
                where campaign_id = $campaign_id
            )
"""


@dataclass(frozen=True, kw_only=True)
class HealthScope:
    """The counted posts of a project, or of a campaign in it, through sub-campaigns too.

    The window is `from_day` to `today`, both inclusive, in `zone`; the prior one is as many days
    before it.
    """

    organization_id: UUID
    project_id: UUID
    campaign_id: UUID | None
    from_day: date
    today: date
    zone: str

    @property
    def days(self) -> int:
        """How many days a window has."""
        return (self.today - self.from_day).days + 1

    @property
    def prior_from(self) -> date:
        """The first day of the prior window."""
        return self.from_day - timedelta(days=self.days)

    @property
    def start(self) -> datetime:
        """When the window begins (UTC)."""
        return start_of(self.from_day, self.zone)

    def read(self, cursor: DuckDBPyConnection, query: str) -> list[Row]:
        """Return the rows of a query that continues the `with` list after `posts`.

        `posts` are the counted posts in scope with the local day on which they appeared. Parameters
        are those of `parameters`.
        """
        days = LocalDays(self.zone, min(self.prior_from, self.today - A_YEAR), self.today)
        posts = POSTS.format(
            day=days.day_of("appeared_at"), campaign=OF_CAMPAIGN if self.campaign_id else ""
        )
        return self.read_alone(cursor, posts + query)

    def read_alone(self, cursor: DuckDBPyConnection, statement: str) -> list[Row]:
        """Return the rows of a statement of its own, with the scope's parameters that it has."""
        named = {
            name: value for name, value in self.parameters().items() if f"${name}" in statement
        }
        return cursor.execute(statement, named).fetchall()

    def parameters(self) -> Mapping[str, object]:
        """Return the values of the parameters $name that queries may use."""
        return {
            "organization_id": self.organization_id,
            "project_id": self.project_id,
            "campaign_id": self.campaign_id,
            "from_day": self.from_day,
            "prior_from": self.prior_from,
            "today": self.today,
            "start": self.start,
        }
