"""Local days in SQL: which readings to look at for a range of days, and on which day each was.

The offsets of a zone come as a small table of parameters; the rest is integer arithmetic.
"""

from datetime import UTC, date, datetime, time, timedelta

from warehouse.zone_offsets import offset_spans

MARGIN = timedelta(days=3)
"""Zones are at most 26 hours apart, so a day this long before another one is over in any zone."""

OFFSETS = """
{name} as (
    select
        unnest($starts_at_of_{name}) as starts_at,
        unnest($ends_at_of_{name}) as ends_at,
        cast(unnest($seconds_of_{name}) as bigint) as utc_offset_seconds
)
"""


def instants_around(from_day: date, to_day: date) -> tuple[datetime, datetime]:
    """Return UTC midnights between which the days lie whole, with those margins, in any zone."""
    return _midnight(from_day - MARGIN), _midnight(to_day + MARGIN)


def offsets_table(name: str) -> str:
    """Return the table `name` (starts_at, ends_at, utc_offset_seconds) made of parameters."""
    return OFFSETS.format(name=name)


def offsets_parameters(name: str, zone: str, start: datetime, end: datetime) -> dict[str, object]:
    """Return the parameters of the table `name` with the offsets of `zone` from start to end."""
    spans = offset_spans(zone, start, end)
    return {
        f"starts_at_of_{name}": [span.starts_at for span in spans],
        f"ends_at_of_{name}": [span.ends_at for span in spans],
        f"seconds_of_{name}": [span.utc_offset_seconds for span in spans],
    }


def local_day(instant: str, offsets: str) -> str:
    """Return the SQL of the date that clocks show at an instant, given a row of offsets."""
    shown = f"epoch_us({instant}) + {offsets}.utc_offset_seconds * 1000000"
    return f"cast(make_timestamp({shown}) as date)"


def holds_at(instant: str, offsets: str) -> str:
    """Return the SQL condition under which a row of offsets is in force at an instant."""
    return f"{instant} >= {offsets}.starts_at and {instant} < {offsets}.ends_at"


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
