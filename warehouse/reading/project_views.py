"""Views of the counted posts of a project, by day."""

from dataclasses import asdict, dataclass
from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.before_tracking import BeforeTrackingQuery, views_before_tracking

# Posts with a creator are in the creators' days; the others are few.
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
        select min(view_first_captured_at) as first_at
        from marts.videos
        where organization_id = $organization_id and project_id = $project_id and is_counted
    )

    select
        cast(timezone(organizations.analytics_tz, first_reading.first_at) as date) as first_day,
        cast(timezone(organizations.analytics_tz, publication.as_of) as date) as last_day,
        organizations.analytics_tz
    from first_reading
    cross join marts.publication as publication
    inner join marts.organizations as organizations
        on organizations.organization_id = $organization_id
    where first_reading.first_at is not null
"""


@dataclass(frozen=True, slots=True)
class DailyViews:
    """Views by day of the organization's zone, from the first known views through the last day.

    `new` is what series count on a day, `before` the part from before tracking. Days in between
    without an entry have 0; others are unknown. Both ends are None if no views are known.
    """

    new: dict[date, int]
    before: dict[date, int]
    first_day: date | None = None
    last_day: date | None = None

    def on(self, day: date) -> int | None:
        """Return what series count on a day, None if unknown."""
        return self.new.get(day, 0) if self._is_known(day) else None

    def before_on(self, day: date) -> int | None:
        """Return the part from before tracking, None if unknown."""
        return self.before.get(day, 0) if self._is_known(day) else None

    def _is_known(self, day: date) -> bool:
        if self.first_day is None or self.last_day is None:
            return False
        return self.first_day <= day <= self.last_day


NO_VIEWS = DailyViews({}, {})
"""Before the first publication."""


@dataclass(frozen=True, slots=True)
class DailyViewsQuery:
    """A project and days, both inclusive."""

    organization_id: UUID
    project_id: UUID
    from_day: date
    to_day: date


def daily_views(cursor: DuckDBPyConnection, query: DailyViewsQuery) -> DailyViews:
    whose = {"organization_id": query.organization_id, "project_id": query.project_id}
    row = cursor.execute(KNOWN_DAYS, whose).fetchone()
    if row is None:
        return NO_VIEWS
    *ends, zone = row
    before = BeforeTrackingQuery(
        query.organization_id, "project", query.project_id, query.from_day, query.to_day, zone
    )
    new = dict(cursor.execute(BY_DAY, asdict(query)).fetchall())
    return DailyViews(new, views_before_tracking(cursor, before), *ends)
