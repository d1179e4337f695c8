"""Selects the marts for a query: daily ones for the organization's zone, else exact readings.

In other zones, creators and campaigns use sums by quarter of an hour, if days begin on one;
videos, members and followers use single readings; posts use their instant of appearance.
"""

from collections.abc import Iterator, Sequence

from warehouse.reading.series.changes import Changes, together
from warehouse.reading.series.daily import daily_changes
from warehouse.reading.series.exact import WholeDays, all_changes, exact_changes, post_changes
from warehouse.reading.series.local_days import MARGIN, LocalDays
from warehouse.reading.series.members import videos_of
from warehouse.reading.series.metrics import POST_COUNTERS, Counter
from warehouse.reading.series.query import Member, SeriesQuery
from warehouse.reading.series.readings import (
    QUARTERS,
    Readings,
    readings_by_quarters,
    readings_of_accounts,
    readings_of_posts,
)


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
