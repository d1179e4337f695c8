"""From changes on days to buckets of days: gains and running sums, and which are missing data.

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
    "new": "coalesce(gains.gain, 0)",
    "cumulative": "before.total + sum(coalesce(gains.gain, 0)) over (order by bucket_start)",
}

BUCKETS = """
with

{changes},

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

gains as (
    select
        {bucket_start} as bucket_start,
        sum(change) as gain
    from changes
    where day >= $from_day
    group by all
),

before as (
    select coalesce(any_value(opening.total), 0) + coalesce(sum(changes.change), 0) as total
    from opening
    left join changes on changes.day < $from_day
),

known as (
    select
        if(any_value(opening.total) is not null, $from_day, min(changes.day)) as since
    from opening
    left join changes on true
),

valued as (
    select
        bucket_start,
        cast({value} as bigint) as value,
        coalesce(last_day >= $tracked_since, false) as is_tracked,
        coalesce(last_day >= known.since, false) as is_known,
        last_day < $empty_until as is_empty
    from buckets
    left join gains using (bucket_start)
    cross join before
    cross join known
)

select
    bucket_start,
    if(is_tracked and (is_known or is_empty), value, null) as value
from valued
order by bucket_start
"""


def bucketed(changes: str, granularity: Granularity, mode: Mode) -> str:
    """Return the query of (bucket_start, value) over the tables `opening` and `changes`.

    Parameters: $from_day and $to_day, inclusive; $tracked_since: the day of the entity's first
    snapshot, before which all is missing; $empty_until: the day up to which it has nothing to
    count, so that a count never known is 0 and not missing.
    """
    return BUCKETS.format(
        changes=changes, bucket_start=BUCKET_START[granularity], value=VALUES[mode]
    )
