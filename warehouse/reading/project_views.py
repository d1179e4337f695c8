"""Views, posts and engagement of the counted posts of a project, by day."""

from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.before_tracking import BeforeTrackingQuery, views_before_tracking
from warehouse.reading.statements import statement

# Posts with a creator are in the creators' days; the others are few.
BY_DAY: Final = statement(__name__, "project_views_by_day.sql")

KNOWN_DAYS: Final = statement(__name__, "project_views_known_days.sql")


@dataclass(frozen=True, slots=True)
class DailyViews:
    """Views by day of the organization's zone, from the first known views through the last day.

    `new` is what series count on a day, `before` the part from before tracking. Days in between
    without an entry have 0; others are unknown. Both ends are None if no views are known.
    `posts` have the posts made on a day, `engagements` what was gained while tracked.
    """

    new: dict[date, int]
    before: dict[date, int]
    first_day: date | None = None
    last_day: date | None = None
    posts: dict[date, int] = field(default_factory=dict)
    engagements: dict[date, int] = field(default_factory=dict)

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
    first_day, last_day, zone = row
    before = BeforeTrackingQuery(
        query.organization_id, "project", query.project_id, query.from_day, query.to_day, zone
    )
    rows = cursor.execute(BY_DAY, asdict(query)).fetchall()
    new, posts, engagements = (
        {days[0]: days[column] for days in rows if days[column] is not None} for column in (1, 2, 3)
    )
    old = views_before_tracking(cursor, before)
    return DailyViews(new, old, first_day, last_day, posts, engagements)
