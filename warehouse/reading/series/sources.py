"""Selects the marts for a query: daily ones for the organization's zone, else exact readings.

In other zones, creators and campaigns use sums by quarter of an hour, if days begin on one;
videos, members and followers use single readings; posts use their instant of appearance. Exact
changes read only readings near the bounds of the range: organization-local days that are completely
on one side of every bound come from the daily marts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from warehouse.reading.series.changes import Changes, together
from warehouse.reading.series.daily import daily_changes
from warehouse.reading.series.local_days import MARGIN, LocalDays, midnight
from warehouse.reading.series.members import Rows, videos_of
from warehouse.reading.series.metrics import POST_COUNTERS, Counter
from warehouse.reading.series.query import Member, SeriesQuery
from warehouse.reading.series.readings import (
    QUARTERS,
    Readings,
    readings_by_quarters,
    readings_of_accounts,
    readings_of_posts,
)

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


def is_in_org_days(query: SeriesQuery, org_zone: str | None) -> bool:
    """Return whether the daily marts have the requested days.

    `org_zone` is the zone of their days; None if they have nothing.
    """
    return org_zone is None or org_zone == query.zone


def reads_all_anyway(query: SeriesQuery, org_zone: str) -> bool:
    """Return whether all readings are read, however few days of another zone are requested.

    Posts are many, and may have appeared before the distinguished days of any query.
    """
    days = [LocalDays(zone, query.first_day, query.last_day) for zone in (query.zone, org_zone)]
    return "video_count" not in query.counters and all(
        readings.are_few for readings in _readings(query, None, days)
    )


def changes_by_day(query: SeriesQuery, org_zone: str | None, kind: Member | None = None) -> Changes:
    """Return changes by entity, or by its members of a kind."""
    opening = WholeDays(None, query.first_day_needed - MARGIN)
    return _changes(query, org_zone, kind, opening)


def changes_in_range(query: SeriesQuery, org_zone: str | None, kind: Member) -> Changes:
    """Return members' changes, exact only in whether their days are in the range."""
    begins = query.first_day + MARGIN if query.mode == "new" else None
    return _changes(query, org_zone, kind, WholeDays(begins, query.last_day - MARGIN))


def _changes(
    query: SeriesQuery, org_zone: str | None, kind: Member | None, whole: WholeDays
) -> Changes:
    if org_zone is None or org_zone == query.zone:  # is_in_org_days, as mypy understands it
        return daily_changes(query, query.counters, kind=kind)
    zone_days, org_days = (
        LocalDays(zone, query.first_day_needed, query.last_day) for zone in (query.zone, org_zone)
    )
    parts = []
    for readings in _readings(query, kind, (zone_days, org_days)):
        if readings.are_few:
            parts.append(all_changes(readings, zone_days))
            continue
        daily = daily_changes(query, readings.counters, whole.condition("day"), kind)
        parts.append(exact_changes(readings, daily, whole, zone_days, org_days))
    if "video_count" in query.counters:
        parts.append(post_changes(videos_of(query, "appeared_at", kind), zone_days))
    return together(parts, query.counters)


def _readings(
    query: SeriesQuery, kind: Member | None, days: Sequence[LocalDays]
) -> Iterator[Readings]:
    of_posts: list[Counter] = [counter for counter in query.counters if counter in POST_COUNTERS]
    in_quarters = all(zone.has_whole_quarters for zone in days)
    if of_posts and kind is None and query.entity in QUARTERS and in_quarters:
        yield readings_by_quarters(query, of_posts)
    elif of_posts:
        yield readings_of_posts(query, of_posts, kind)
    if "followers" in query.counters:
        yield readings_of_accounts(query)
