"""From changes on days to buckets of days: gains and running sums.

Works for any metric and any source of changes. A bucket is named by the first day of its calendar
day, week (Monday) or month, and counts only the days of it that lie in the range.
"""

from warehouse.reading.series_query import Granularity, Mode

BUCKET_START: dict[Granularity, str] = {
    "day": "day",
    "week": "cast(date_trunc('week', day) as date)",
    "month": "cast(date_trunc('month', day) as date)",
}

VALUES: dict[Mode, str] = {
    "new": "if(total is null, null, coalesce(gain, 0))",
    "cumulative": "total",
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
),

calendar as (
    select cast(unnest(generate_series($from_day, $to_day, interval 1 day)) as date) as day
),

buckets as (
    select
        {bucket_start} as bucket_start,
        max(day) as last_day
    from calendar
    group by all
),

running as (
    select
        bucket_start,
        last_day,
        gain,
        sum(gain) over (order by bucket_start nulls first) as total -- null until first known
    from buckets
    full join gains using (bucket_start)
)

select
    bucket_start,
    last_day,
    cast({value} as bigint) as value
from running
where bucket_start is not null
order by bucket_start
"""


def bucketed(changes: str, granularity: Granularity, mode: Mode) -> str:
    """Return the query of (bucket_start, last_day, value) over the table `changes`.

    `last_day` is the bucket's last day in the range; the value is null until the count is known.
    Parameters: $from_day and $to_day, inclusive.
    """
    return BUCKETS.format(
        changes=changes, bucket_start=BUCKET_START[granularity], value=VALUES[mode]
    )
