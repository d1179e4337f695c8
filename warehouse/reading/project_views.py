"""What the counted posts of a project gained in views, day by day."""

from dataclasses import asdict, dataclass
from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection

# Posts of creators are in their creators' days already; those of nobody are few.
BY_DAY = """
    with

    nobodys as (
        select video_id
        from marts.videos
        where
            organization_id = $organization_id
            and project_id = $project_id
            and is_counted
            and creator_id is null
    ),

    days as (
        select
            day,
            new_views
        from marts.creator_daily
        where organization_id = $organization_id and project_id = $project_id
        union all
        select
            daily.day,
            daily.new_views
        from marts.video_daily as daily
        inner join nobodys using (video_id)
    )

    select
        day,
        cast(sum(new_views) as bigint) as views
    from days
    where day >= $from_day and day <= $to_day and new_views is not null
    group by day
"""

KNOWN_DAYS = """
    with

    first_reading as (
        select min(first_captured_at) as first_at
        from marts.videos
        where organization_id = $organization_id and project_id = $project_id and is_counted
    )

    select
        cast(timezone(organizations.analytics_tz, first_reading.first_at) as date) as first_day,
        cast(timezone(organizations.analytics_tz, publication.as_of) as date) as last_day
    from first_reading
    cross join marts.publication as publication
    inner join marts.organizations as organizations
        on organizations.organization_id = $organization_id
    where first_reading.first_at is not null
"""


@dataclass(frozen=True, slots=True)
class DailyViews:
    """Views gained by day of the organization's zone, from the first reading through the last day.

    Days between that are not in `gained` gained none; of others nothing is known. Both ends are
    None where nothing was read.
    """

    gained: dict[date, int]
    first_day: date | None = None
    last_day: date | None = None

    def on(self, day: date) -> int | None:
        """Return what was gained on a day, None where that is not known."""
        if self.first_day is None or self.last_day is None:
            return None
        return self.gained.get(day, 0) if self.first_day <= day <= self.last_day else None


@dataclass(frozen=True, slots=True)
class DailyViewsQuery:
    """Of which project, and from which day to which, both inclusive."""

    organization_id: UUID
    project_id: UUID
    from_day: date
    to_day: date


def daily_views(cursor: DuckDBPyConnection, asked: DailyViewsQuery) -> DailyViews:
    """Return the views of the days that are asked about."""
    whose = {"organization_id": asked.organization_id, "project_id": asked.project_id}
    known = cursor.execute(KNOWN_DAYS, whose).fetchone()
    gained = dict(cursor.execute(BY_DAY, asdict(asked)).fetchall())
    return DailyViews(gained, *(known or ()))
