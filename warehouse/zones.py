"""Time zones by IANA name: the beginnings of their days, and their clock changes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, pairwise
from zoneinfo import ZoneInfo

# Only names of the IANA database are valid, whatever else a machine's zone folder has, so that all
# machines accept the same names.


class UnknownZoneError(ValueError):
    """No time zone of the IANA database has this name."""


@cache
def zone_names() -> frozenset[str]:
    return frozenset((files("tzdata") / "zones").read_text(encoding="utf-8").split())


@cache
def zones_by_city() -> dict[str, str]:
    """Return cities with their zone by the zone's name, sorted by city; old names are left out."""
    table = (files("tzdata") / "zoneinfo" / "zone.tab").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    cities = {name: f"{_city(name)} ({name})" for _country, _coordinates, name, *_ in rows}
    return {"UTC": "UTC", **dict(sorted(cities.items(), key=lambda entry: entry[1]))}


def _city(name: str) -> str:
    return name.rpartition("/")[2].replace("_", " ")


def require_zone(name: str) -> str:
    """Return `name` if it is an IANA zone. Raises UnknownZoneError, which names near ones."""
    if name not in zone_names():
        cities = {_city(zone).casefold(): zone for zone in zones_by_city()}
        near = [
            cities[each] for each in get_close_matches(_city(name).casefold(), cities, cutoff=0.75)
        ]
        such = " or ".join(map(repr, near or ["UTC", "Europe/Berlin"]))
        raise UnknownZoneError(f"{name!r} is not an IANA time zone: use one such as {such}")
    return name


@lru_cache(maxsize=1_000)  # thousands of goals share a few periods
def start_of(day: date, zone: str) -> datetime:
    """Return the instant, in UTC, at which a day begins in an IANA zone.

    If midnight is skipped, that is the end of the gap.
    """
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)


def in_zone(instant: datetime, zone: tzinfo) -> datetime:
    """Return an instant in a zone; as it is where the calendar of the zone ends before it."""
    try:
        return instant.astimezone(zone)
    except OverflowError:  # people write the last day of 9999 for never
        return instant


# SQL converts instants to local days by joining these few rows, with integer arithmetic; no query
# asks a time zone library about a reading.

SECOND = timedelta(seconds=1)
PROBE_INTERVAL = timedelta(hours=6)
"""No zone changed its clocks twice within this time."""


@dataclass(frozen=True, slots=True)
class OffsetSpan:
    """From `starts_at` until `ends_at` (UTC), clocks are this many seconds ahead of UTC."""

    starts_at: datetime
    ends_at: datetime
    utc_offset_seconds: int


def offset_spans(zone: str, start: datetime, end: datetime) -> tuple[OffsetSpan, ...]:
    """Return the spans of `zone` that cover `start` until `end` (whole seconds)."""
    years = range(start.year, end.year + 1)
    changes = chain.from_iterable(_changes_of_year(zone, year) for year in years)
    edges = [start, *(change for change in changes if start < change < end), end]
    return tuple(
        OffsetSpan(begin, finish, _offset(ZoneInfo(zone), begin))
        for begin, finish in pairwise(edges)
    )


@lru_cache(maxsize=16_384)
def _changes_of_year(zone: str, year: int) -> tuple[datetime, ...]:
    """Return the instants of a year (UTC) at which the offset changes; cached."""
    begins, ends = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    return tuple(_changes(ZoneInfo(zone), begins - SECOND, ends))


def _changes(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield each instant after `start` and before `end` at which the offset changes."""
    before, offset = start, _offset(zone, start)
    while before < end:
        after = min(before + PROBE_INTERVAL, end)
        offset_after = _offset(zone, after)
        if offset_after != offset:
            change = _change_between(zone, before, after)
            if change < end:
                yield change
        before, offset = after, offset_after


def _change_between(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """Return the first second with the offset of `after`, by bisection."""
    while after - before > SECOND:
        middle = before + timedelta(seconds=(after - before) // (2 * SECOND))
        if _offset(zone, middle) == _offset(zone, after):
            after = middle
        else:
            before = middle
    return after


def _offset(zone: ZoneInfo, instant: datetime) -> int:
    offset = instant.astimezone(zone).utcoffset() or timedelta()
    return int(offset.total_seconds())


FIRST_INSTANT = datetime(2000, 1, 1, tzinfo=UTC)
LAST_INSTANT = datetime(2100, 1, 1, tzinfo=UTC)
"""The range includes the first and excludes the last. An instant outside is not an observation."""
