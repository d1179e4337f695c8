{#- What is still expected continues from the value at the cut: the value since then is part of it. #}

with

running as (
    select
        goals.*,
        cuts.cut_day,
        cast(goals.period_end - cuts.cut_day as integer) as days
    from {{ ref('goal_compliance') }} as goals
    inner join {{ ref('int_forecast_cuts') }} as cuts using (organization_id)
    where goals.status not in ('completed', 'missed')
),

posts as (
    select
        counted.creator_id,
        counted.appeared_on,
        videos.platform,
        videos.account_id
    from {{ ref('int_counted_videos') }} as counted
    inner join {{ ref('stg_videos') }} as videos using (video_id)
    inner join {{ ref('int_forecast_cuts') }} as cuts on counted.organization_id = cuts.organization_id
    where counted.appeared_on > cuts.cut_day - 28
),

beginnings as (
    {{ forecast_beginnings(ref('int_forecast_posts')) }}
),

counted as (
    select
        running.goal_id,
        running.days,
        -- one value: a goal is of one project
        {{ days_known("running.cut_day", "any_value(beginnings.first_appeared_on)", 28) }} as days_known,
        count(*) filter (where posts.appeared_on <= running.cut_day) as four_weeks,
        count(*) filter (
            where posts.appeared_on <= running.cut_day and posts.appeared_on > running.cut_day - 7
        ) as last_week,
        count(*) filter (where posts.appeared_on > running.cut_day) as since_cut
    from running
    inner join beginnings on running.project_id = beginnings.project_id
    inner join posts on running.creator_id = posts.creator_id and {{ in_scope("running", "posts") }}
    where running.metric = 'posts'
    group by running.goal_id, running.cut_day, running.days
),

views_since_cut as (
    select
        daily.creator_id,
        sum(daily.new_views) as views
    from {{ ref('creator_daily') }} as daily
    inner join {{ ref('int_forecast_cuts') }} as cuts using (organization_id)
    where daily.day > cuts.cut_day
    group by daily.creator_id
),

to_come as (
    select
        goal_id,
        {{ half_up("four_weeks * days", "days_known") }} as expected,
        {{ half_up("last_week * days", 7) }} as baseline,
        since_cut
    from counted
    union all by name
    select
        running.goal_id,
        forecasts.views as expected,
        forecasts.baseline_views as baseline,
        coalesce(since.views, 0) as since_cut
    from running
    inner join {{ ref('int_forecasts') }} as forecasts
        on
            running.creator_id = forecasts.entity_id
            and running.days = forecasts.days
            and forecasts.entity = 'creator'
    left join views_since_cut as since on running.creator_id = since.creator_id
    where running.metric = 'views' and running.platform_scope = 'all'
),

judged as (
    select
        running.*,
        {{ goal_end("to_come.expected") }} as expected,
        {{ goal_end(forecast_end("to_come.expected", "spread.low_ratio")) }} as low,
        {{ goal_end(forecast_end("to_come.expected", "spread.high_ratio")) }} as high,
        {{ goal_end("to_come.baseline") }} as baseline,
        case
            when running.metric not in ('views', 'posts') then 'not_forecast'
            when running.metric = 'views' and running.platform_scope <> 'all' then 'not_forecast'
            when coalesce(to_come.expected, 0) = 0 then 'nothing_of_late'
            else {{ forecast_hidden_because("spread") }}
        end as hidden_because
    from running
    left join to_come using (goal_id)
    left join {{ ref('int_forecast_spread') }} as spread
        on running.organization_id = spread.organization_id and spread.entity = 'creator'
)

select
    goal_id,
    organization_id,
    project_id,
    creator_id,
    metric,
    period,
    period_start,
    period_end,
    target_value,
    actual,
    expected,
    low,
    high,
    baseline,
    hidden_because,
    case
        when hidden_because is not null then null
        when low >= target_value then 'on_course'
        when high < target_value then 'out_of_reach'
        else 'at_risk'
    end as outlook
from judged
