"""Posts and days of a project's health, and SQL tables of these posts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.series.local_days import LocalDays
from warehouse.reading.statements import statement
from warehouse.zones import start_of

A_YEAR = timedelta(days=366)
"""How far back days are exact, also across clock changes."""

Row = tuple[Any, ...]

POSTS = """
create or replace temporary table posts as

select
    *,
    {day} as appeared_on,
    {known_day} as views_known_on
from (
    select
        video_id,
        account_id,
        creator_id,
        coalesce(posted_at, first_captured_at) as appeared_at,
        view_count,
        like_count,
        comment_count,
        share_count,
        save_count,
        view_captured_at,
        view_first_captured_at,
        view_before_tracking,
        greatest(
            like_captured_at, comment_captured_at, share_captured_at, save_captured_at
        ) as others_captured_at,
        if(views_due_until is null, views_due_from, null) as views_awaited_since
    from marts.videos
    where
        organization_id = $organization_id
        and project_id = $project_id
        and is_counted
        {campaign}
)
where coalesce(appeared_at, views_awaited_since) <= (select as_of from marts.publication)
"""

COUNTED: Final = statement(__name__, "counted.sql")
"""Each post of both windows with its last known counts at the end of its window, so that posts of
the prior window, which had more time since, are compared as of then.
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
    """The counted posts of a project, or of a campaign with its sub-campaigns.

    The window is `from_day` to `today`, both inclusive, in `zone`; the prior one has as many days
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
        return (self.today - self.from_day).days + 1

    @property
    def prior_from(self) -> date:
        return self.from_day - timedelta(days=self.days)

    @property
    def start(self) -> datetime:
        """When the window begins (UTC)."""
        return start_of(self.from_day, self.zone)

    def lay_out(self, cursor: DuckDBPyConnection) -> None:
        """Create the temporary tables `posts` and `counted`, which most queries read.

        `posts` are the counted posts in scope with the local day on which they appeared, null of
        one that has neither a posting time nor a reading.
        """
        days = LocalDays(self.zone, min(self.prior_from, self.today - A_YEAR), self.today)
        campaign = OF_CAMPAIGN if self.campaign_id else ""
        day, known_day = map(days.day_of, ("appeared_at", "view_first_captured_at"))
        self.read(cursor, POSTS.format(day=day, known_day=known_day, campaign=campaign))
        self.read(cursor, COUNTED)

    def read(self, cursor: DuckDBPyConnection, statement: str) -> list[Row]:
        """Return the rows of a statement, with the parameters that it uses."""
        named = {
            name: value for name, value in self.parameters().items() if f"${name}" in statement
        }
        return cursor.execute(statement, named).fetchall()

    def parameters(self) -> Mapping[str, object]:
        return {
            "organization_id": self.organization_id,
            "project_id": self.project_id,
            "campaign_id": self.campaign_id,
            "from_day": self.from_day,
            "prior_from": self.prior_from,
            "today": self.today,
            "start": self.start,
        }
