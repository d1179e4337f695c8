with

states as (
    select * from {{ ref('stg_goal_states') }}
),

spans as (
    select * from {{ ref('int_goal_spans') }}
),

kinds as (
    select distinct
        goal_id,
        period
    from states
),

calendar as (
    select
        spans.goal_id,
        spans.analytics_tz,
        spans.created_on,
        kinds.period,
        cast(
            unnest(
                generate_series(
                    cast(rules.period_start(spans.first_day, kinds.period) as timestamp),
                    cast(spans.last_day as timestamp),
                    {{ period_interval("kinds.period") }}
                )
            ) as date
        ) as period_start
    from spans
    inner join kinds using (goal_id)
),

periods as (
    select
        *,
        {{ next_period_start("period_start", "period") }} as next_start
    from calendar
),

boundaries as (
    select
        analytics_tz as zone,
        period_start as day
    from periods
    union
    select
        analytics_tz as zone,
        next_start as day
    from periods
),

day_starts as (
    {{ day_starts("boundaries") }}
),

timed as (
    select
        periods.*,
        first.starts_at,
        next.starts_at as ends_at,
        next.starts_at <= {{ as_of() }} as is_ended
    from periods
    inner join day_starts as first
        on periods.analytics_tz = first.zone and periods.period_start = first.day
    inner join day_starts as next
        on periods.analytics_tz = next.zone and periods.next_start = next.day
    where first.starts_at <= {{ as_of() }}
),

period_states as (
    select
        timed.*,
        states.goal_state_id,
        states.organization_id,
        states.project_id,
        states.creator_id,
        states.metric,
        states.period as period_of_state,
        states.target_value,
        states.start_date,
        states.end_date,
        states.platform_scope,
        states.platform,
        states.account_id,
        states.is_in_force,
        states.valid_from,
        if(
            timed.is_ended, states.valid_from < timed.ends_at, states.valid_from <= {{ as_of() }}
        ) as has_begun
    from timed
    inner join states using (goal_id)
),

judging as (
    select * from period_states
    qualify row_number() over (
        partition by goal_id, period, period_start
        order by has_begun desc, if(has_begun, valid_from, null) desc nulls last, valid_from
    ) = 1
)

select
    goal_id,
    goal_state_id,
    organization_id,
    project_id,
    creator_id,
    analytics_tz as timezone,
    metric,
    period,
    target_value,
    start_date,
    end_date,
    platform_scope,
    platform,
    account_id,
    period_start,
    next_start - 1 as period_end,
    starts_at,
    ends_at,
    is_ended,
    coalesce(start_date, least(created_on, period_start)) as counts_from
from judging
where
    period = period_of_state
    and is_in_force
    and (start_date is null or start_date <= period_start)
    and (end_date is null or end_date >= next_start - 1)
