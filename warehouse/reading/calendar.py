"""Calendar days, weeks from Monday, and months: which buckets a span of days touches."""

from collections.abc import Iterator
from datetime import date, timedelta

from warehouse.reading.series_query import Granularity

ONE_DAY = timedelta(days=1)


def bucket_start(day: date, granularity: Granularity) -> date:
    """Return the first day of the day's bucket."""
    if granularity == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if granularity == "month" else day


def bucket_end(start: date, granularity: Granularity) -> date:
    """Return the last day of the bucket that starts on `start`."""
    if granularity == "week":
        return start + timedelta(days=6)
    if granularity == "month":
        return (start + timedelta(days=31)).replace(day=1) - ONE_DAY
    return start


def bucket_starts(from_day: date, to_day: date, granularity: Granularity) -> Iterator[date]:
    """Yield the first day of every bucket that the days, both inclusive, touch."""
    start = bucket_start(from_day, granularity)
    while start <= to_day:
        yield start
        start = bucket_end(start, granularity) + ONE_DAY
