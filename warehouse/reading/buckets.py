"""From changes on days to buckets of days: gains or running sums, and a value for every bucket.

Works for any metric and any source of changes. A bucket is named by the first day of its calendar
day, week (Monday) or month, and counts only the days of it that lie in the range. The query gives
the buckets in which something changed; the others follow from those before them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from warehouse.reading.calendar import bucket_end, bucket_starts
from warehouse.reading.series_query import Granularity, Mode, SeriesQuery

BUCKET_START: dict[Granularity, str] = {
    "day": "day",
    "week": "cast(date_trunc('week', day) as date)",
    "month": "cast(date_trunc('month', day) as date)",
}

VALUES: dict[Mode, str] = {
    "new": "gain",
    "cumulative": "sum(gain) over (order by bucket_start nulls first)",
}

BUCKETS = """
with

{changes},

gains as (
    select
        if(day >= $from_day, {bucket_start}, null) as bucket_start, -- null: before the range
        sum(change) as gain
    from changes
    group by all
)

select
    bucket_start,
    cast({value} as bigint) as value
from gains
"""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket, its last day in the range and its value, None where no count is known."""

    bucket_start: date
    last_day: date
    value: int | None


def bucketed(changes: str, granularity: Granularity, mode: Mode) -> str:
    """Return the query of (bucket_start, value) over the table `changes`, in any order.

    Only buckets with a change come, and one without a start for what was before the range.
    Parameter: $from_day.
    """
    return BUCKETS.format(
        changes=changes, bucket_start=BUCKET_START[granularity], value=VALUES[mode]
    )


def every_bucket(query: SeriesQuery, changed: Mapping[date | None, int]) -> Iterator[Bucket]:
    """Yield each bucket of the range, oldest first, given the values of those that changed.

    Where nothing changed, nothing is new and the count is what it was; None until one is known.
    """
    latest = changed.get(None)
    for start in bucket_starts(query.from_day, query.to_day, query.granularity):
        value = changed.get(start)
        if value is None and latest is not None:
            value = 0 if query.mode == "new" else latest
        latest = latest if value is None else value
        last_day = min(bucket_end(start, query.granularity), query.to_day)
        yield Bucket(start, last_day, value)
