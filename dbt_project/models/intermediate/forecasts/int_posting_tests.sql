with

projects as (
    select distinct project_id
    from {{ ref('stg_goal_states') }}
    where metric = 'posts'
),

tests as (
    select
        tests.organization_id,
        tests.project_id,
        tests.entity_id as creator_id,
        tests.cut_day,
        tests.days,
        tests.day
    from {{ ref('int_forecast_tests') }} as tests
    semi join projects using (project_id)
    where tests.entity = 'creator' and tests.days in (7, 28)
),

beginnings as (
    {{ forecast_beginnings(ref('int_forecast_posts')) }}
),

posts as (
    select
        counted.creator_id,
        counted.appeared_on,
        count(*) as posts
    from {{ ref('int_counted_videos') }} as counted
    semi join projects using (project_id)
    where counted.creator_id is not null and counted.appeared_on is not null
    group by all
),

-- A day joins by equality the cuts that it precedes, and those that it follows.

placed as (
    select
        *,
        cast(unnest(range(28)) as integer) as days_away
    from posts
),

before_cuts as (
    select
        creator_id,
        appeared_on + days_away as cut_day,
        sum(posts) as four_weeks,
        coalesce(sum(posts) filter (where days_away < 7), 0) as last_week
    from placed
    group by all
),

after_cuts as (
    select
        creator_id,
        appeared_on - days_away - 1 as cut_day,
        sum(posts) as four_weeks,
        coalesce(sum(posts) filter (where days_away < 7), 0) as first_week
    from placed
    group by all
),

counted as (
    select
        tests.*,
        {{ days_known("tests.cut_day", "beginnings.first_appeared_on", 28) }} as days_known,
        coalesce(before_cuts.four_weeks, 0) as four_weeks,
        coalesce(before_cuts.last_week, 0) as last_week,
        coalesce(if(tests.days = 7, after_cuts.first_week, after_cuts.four_weeks), 0) as came
    from tests
    inner join beginnings using (project_id)
    left join before_cuts using (creator_id, cut_day)
    left join after_cuts using (creator_id, cut_day)
)

select
    organization_id,
    project_id,
    creator_id,
    cut_day,
    days,
    day,
    cast({{ posts_expected("four_weeks", "days", "days_known") }} as bigint) as posts,
    cast({{ posts_expected("last_week", "days", 7) }} as bigint) as baseline_posts,
    cast(came as bigint) as actual_posts
from counted
where four_weeks > 0 or came > 0
