{{ config(
    materialized="incremental",
    meta={"key": "creator_id", "replaces": "periods", "touched": "int_touched_goals"}
) }}

{%- set touched = ref('int_touched_goals') %}

with

periods as (
    {{ scoped(ref('int_goal_periods'), touched, "creator_id", at="period_end") }}
),

goals as (
    select
        goal_id,
        creator_id,
        timezone,
        metric,
        period,
        period_start,
        period_end,
        starts_at,
        ends_at,
        counts_from,
        platform,
        account_id
    from periods
),

intervals as (
    {{ scoped(ref('int_goal_videos'), touched, "creator_id", tells=true) }}
),

-- No period is longer than 31 days.

videos as (
    select
        video_id,
        account_id,
        creator_id,
        from_at,
        until_at,
        timezone,
        is_by_day,
        posted_at,
        posted_on,
        touched_from - 31 as since
    from intervals
),

follower_days as (
    select
        accounts.creator_id,
        zones.analytics_tz as timezone,
        days.*
    from {{ ref('int_follower_days') }} as days
    inner join {{ ref('stg_accounts') }} as accounts using (account_id)
    inner join {{ ref('int_account_zones') }} as zones using (account_id)
),

gains as (
    {{ goal_gains(
        "goals",
        "videos",
        "follower_days",
        since=least_of(touched, "from_day", "date") ~ " - 31",
    ) }}
)

select
    goal_id,
    creator_id,
    period,
    period_start,
    period_end,
    gaining_account_id as account_id,
    cast(sum(gained) as bigint) as gained
from gains
group by goal_id, creator_id, period, period_start, period_end, gaining_account_id
order by period_end
