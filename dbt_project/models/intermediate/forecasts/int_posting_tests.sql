with

tests as (
    select
        organization_id,
        entity_id as creator_id,
        cut_day,
        days,
        day
    from {{ ref('int_forecast_tests') }}
    where entity = 'creator' and days in (7, 28)
),

asked as (
    select distinct organization_id
    from {{ ref('stg_goal_states') }}
    where metric = 'posts'
),

posts as (
    select
        creator_id,
        appeared_on + cast(7 - isodow(appeared_on) as integer) as sunday,
        count(*) as posts
    from {{ ref('int_counted_videos') }}
    where creator_id is not null and appeared_on is not null
    group by all
),

-- A week meets by equality the cuts that it precedes, and those that it follows.

placed as (
    select
        *,
        unnest(range(4)) as weeks
    from posts
),

before_cuts as (
    select
        creator_id,
        sunday + cast(weeks * 7 as integer) as cut_day,
        sum(posts) as four_weeks,
        coalesce(sum(posts) filter (where weeks = 0), 0) as last_week
    from placed
    group by all
),

after_cuts as (
    select
        creator_id,
        sunday - cast(weeks * 7 + 7 as integer) as cut_day,
        sum(posts) as four_weeks,
        coalesce(sum(posts) filter (where weeks = 0), 0) as first_week
    from placed
    group by all
),

counted as (
    select
        tests.*,
        coalesce(before_cuts.four_weeks, 0) as four_weeks,
        coalesce(before_cuts.last_week, 0) as last_week,
        coalesce(if(tests.days = 7, after_cuts.first_week, after_cuts.four_weeks), 0) as came
    from tests
    semi join asked using (organization_id)
    left join before_cuts using (creator_id, cut_day)
    left join after_cuts using (creator_id, cut_day)
)

select
    organization_id,
    creator_id,
    cut_day,
    days,
    day,
    cast({{ posts_expected("four_weeks", "days", 28) }} as bigint) as posts,
    cast({{ posts_expected("last_week", "days", 7) }} as bigint) as baseline_posts,
    cast(came as bigint) as actual_posts
from counted
where four_weeks > 0 or came > 0
