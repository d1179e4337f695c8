"""Exact changes by days of any zone, from readings at instants.

Reads only readings near the bounds of the range. Organization-local days that are completely on
one side of every bound, in any zone, come from the daily marts.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from warehouse.reading.series.changes import Changes
from warehouse.reading.series.local_days import LocalDays, midnight
from warehouse.reading.series.members import Rows
from warehouse.reading.series.readings import Readings

ONE_DAY = timedelta(days=1)
BEGINNING_OF_TIME = datetime(1, 1, 1, tzinfo=UTC)

CHANGES = """
    select
        member,
        day,
        {counters}
    from ({daily}) as daily
    union all
    select
        member,
        {zone_day} as day,
        {counters}
    from ({readings}) as readings
    where not ({is_whole}) and {zone_day} <= $last_day
"""


ALL_CHANGES = """
    select
        member,
        {zone_day} as day,
        {counters}
    from ({readings}) as readings
    where {zone_day} <= $last_day
"""

POSTS = """
    select
        member,
        {day} as day,
        1 as video_count
    from ({posts}) as posts
    where {day} <= $last_day
"""


@dataclass(frozen=True)
class WholeDays:
    """The organization's days from `first` (None: from the beginning) to `last`, inclusive."""

    first: date | None
    last: date

    def condition(self, day: str) -> str:
        until = f"{day} <= date '{self.last}'"
        return until if self.first is None else f"{day} >= date '{self.first}' and {until}"

    def beside(self, begun: datetime, over: datetime) -> list[tuple[datetime, datetime]]:
        """Return intervals with all readings of other days from `begun` to `over`.

        A day of any zone begins at most 14 hours before UTC's, and 12 after.
        """
        after = (midnight(self.last), over)
        if self.first is None:
            return [after]
        before = (begun, midnight(self.first + ONE_DAY))
        return [before, after] if before[1] < after[0] else [(begun, over)]


def exact_changes(
    readings: Readings, daily: Changes, whole: WholeDays, zone_days: LocalDays, org_days: LocalDays
) -> Changes:
    """Return changes of the readings' counters by days of a zone.

    `daily` has those of the organization's whole days; `org_days` are of the daily marts' zone.
    """
    spans = whole.beside(zone_days.begun, zone_days.over)
    changes = CHANGES.format(
        counters=", ".join(readings.counters),
        daily=daily.query,
        readings=" union all ".join(readings.between(*span) for span in spans),
        zone_day=zone_days.day_of("read_at"),
        is_whole=whole.condition(org_days.day_of("read_at")),
    )
    return Changes(readings.counters, changes, {**daily.parameters, **readings.parameters})


def all_changes(readings: Readings, zone_days: LocalDays) -> Changes:
    """Return changes of readings few enough to read all."""
    changes = ALL_CHANGES.format(
        counters=", ".join(readings.counters),
        readings=readings.between(BEGINNING_OF_TIME, zone_days.over),
        zone_day=zone_days.day_of("read_at"),
    )
    return Changes(readings.counters, changes, readings.parameters)


def post_changes(posts: Rows, days: LocalDays) -> Changes:
    """Return the numbers of posts by day of a zone; `posts` is (member, appeared_at).

    A post counts from its posting time, or if unknown, from its first reading; never before the
    build's business time (as in the daily marts).
    """
    query = POSTS.format(posts=posts.sql, day=days.day_of("appeared_at"))
    return Changes(("video_count",), query, posts.parameters)
