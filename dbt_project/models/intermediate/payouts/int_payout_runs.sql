with

runs as (
    select
        payees.payee_id,
        payees.timezone,
        intervals.from_day,
        intervals.until_day,
        lag(intervals.until_day) over (
            partition by payees.payee_id order by intervals.from_day
        ) as run_before_until
    from {{ ref('int_payout_intervals') }} as intervals
    inner join {{ ref('int_payout_payees') }} as payees using (payee_id)
    where intervals.state = 'covered'
),

edges as (
    select
        timezone as zone,
        from_day as day
    from runs
    union
    select
        timezone as zone,
        until_day as day
    from runs
    where until_day < 'infinity'
),

day_starts as (
    {{ day_starts("edges") }}
)

select
    runs.payee_id,
    runs.timezone,
    runs.from_day,
    runs.until_day,
    first_days.starts_at,
    coalesce(next_days.starts_at, timestamptz 'infinity') as ends_at,
    runs.run_before_until
from runs
inner join day_starts as first_days on runs.timezone = first_days.zone and runs.from_day = first_days.day
left join day_starts as next_days on runs.timezone = next_days.zone and runs.until_day = next_days.day
