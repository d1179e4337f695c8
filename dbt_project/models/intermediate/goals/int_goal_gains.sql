{{ config(
    materialized="continued",
    meta={"key": "creator_id", "replaces": "periods", "touched": "int_touched_goals"}
) }}

{%- set touched = ref('int_touched_goals') %}
{%- set full = computes_everything() %}

with

goals as (
    select
        periods.goal_id,
        periods.creator_id,
        periods.timezone,
        periods.metric,
        periods.period,
        periods.period_start,
        periods.period_end,
        periods.starts_at,
        periods.ends_at,
        periods.counts_from,
        periods.platform,
        periods.account_id
    from {{ ref('int_goal_periods') }} as periods
    {% if not full -%}
    inner join {{ touched }} as touched
        on periods.creator_id = touched.creator_id and periods.period_end >= touched.from_day
    {%- endif %}
),

videos as (
    select
        videos.video_id,
        videos.account_id,
        videos.creator_id,
        videos.from_at,
        videos.until_at,
        videos.timezone,
        videos.is_by_day,
        videos.posted_at,
        videos.posted_on,
        true as is_counted,
        {{ "date '-infinity'" if full else "touched.from_day - 31" }} as since
    from {{ ref('int_goal_videos') }} as videos
    {% if not full -%}
    inner join {{ touched }} as touched using (creator_id)
    {%- endif %}
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

-- No period is longer than 31 days.

gains as (
    {{ goal_gains(
        "goals",
        "videos",
        "follower_days",
        since="date '-infinity'" if full else least_of(touched, "from_day", "date") ~ " - 31",
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
