{#- The periods of touched payees from the one with their first touched day. Infinite dates are never
    truncated: DuckDB fails if all values of a column are infinite. -#}
with

touched_payees as (
    {{ scoped(ref('int_payout_payees'), ref('int_touched_payees'), "payee_id", tells=true) }}
),

payees as (
    select
        * exclude (touched_from),
        rules.period_start(greatest(touched_from, date '1900-01-01'), period, period_anchor) as touched_from
    from touched_payees
    where period is not null
),

intervals as (
    select
        payees.payee_id,
        payees.structure_id,
        payees.touched_from,
        intervals.from_day,
        intervals.until_day,
        intervals.state,
        count(*) over (partition by payees.payee_id) = 1 as is_only
    from {{ ref('int_payout_intervals') }} as intervals
    inner join payees using (payee_id)
    where intervals.state in ('covered', 'paused') and intervals.until_day > payees.touched_from
),

today as (
    select
        zone as timezone,
        {{ local_day(as_of(), "utc_offset_seconds") }} as today
    from {{ ref('int_utc_offsets') }}
    where {{ as_of() }} >= starts_at and {{ as_of() }} < ends_at
),

spans as (
    select
        payees.structure_id,
        payees.timezone,
        payees.period,
        payees.period_anchor,
        today.today,
        min(greatest(intervals.from_day, intervals.touched_from)) as first_day
    from intervals
    inner join payees using (payee_id)
    inner join today using (timezone)
    group by all
),

calendar as (
    select
        structure_id,
        timezone,
        period,
        cast(
            unnest(
                generate_series(
                    cast(rules.period_start(first_day, period, period_anchor) as timestamp),
                    cast(today as timestamp),
                    {{ period_interval("period") }}
                )
            ) as date
        ) as period_start
    from spans
),

periods as (
    select
        *,
        {{ next_period_start("period_start", "period") }} as next_start
    from calendar
),

edges as (
    select
        timezone as zone,
        period_start as day
    from periods
    union
    select
        timezone as zone,
        next_start as day
    from periods
),

day_starts as (
    {{ day_starts("edges") }}
),

dated as (
    select
        periods.structure_id,
        periods.period_start,
        periods.next_start,
        first_days.starts_at,
        next_days.starts_at as ends_at
    from periods
    inner join day_starts as first_days
        on periods.timezone = first_days.zone and periods.period_start = first_days.day
    inner join day_starts as next_days
        on periods.timezone = next_days.zone and periods.next_start = next_days.day
),

-- The version in force at each period's end (M4).

ruled as (
    select
        dated.*,
        versions.version_id,
        versions.version_number
    from dated
    inner join {{ ref('int_payout_versions') }} as versions
        on {{ in_force_at_end("versions", "dated") }}
),

parts as (
    select
        intervals.payee_id,
        ruled.*,
        intervals.state,
        intervals.is_only,
        greatest(intervals.from_day, ruled.period_start) as from_day,
        least(intervals.until_day, ruled.next_start) as until_day
    from intervals
    inner join ruled
        on
            intervals.structure_id = ruled.structure_id
            and intervals.from_day < ruled.next_start
            and intervals.until_day > ruled.period_start
            and intervals.touched_from <= ruled.period_start
),

-- Most payees have one interval and need no grouping.

counted as (
    select
        payee_id,
        period_start,
        next_start,
        starts_at,
        ends_at,
        version_id,
        version_number,
        until_day - from_day as covered_days,
        0 as paused_days,
        [{ 'from': from_day, 'to': until_day - 1 }] as covered
    from parts
    where is_only and state = 'covered'
    union all
    select
        payee_id,
        period_start,
        next_start,
        starts_at,
        ends_at,
        version_id,
        version_number,
        sum(until_day - from_day) filter (where state = 'covered') as covered_days,
        coalesce(sum(until_day - from_day) filter (where state = 'paused'), 0) as paused_days,
        list_sort(list({ 'from': from_day, 'to': until_day - 1 }) filter (where state = 'covered')) as covered
    from parts
    where not is_only
    group by all
    having covered_days > 0
)

select
    payee_id,
    period_start,
    next_start - 1 as period_end,
    starts_at,
    ends_at,
    cast(next_start - period_start as integer) as days,
    cast(covered_days as integer) as covered_days,
    cast(paused_days as integer) as paused_days,
    covered,
    version_id,
    version_number
from counted
