with

days as (
    select * from {{ ref('creator_daily') }}
),

totals as (
    select
        organization_id,
        project_id,
        creator_id,
        day,
        unnest(['views', 'followers']) as counted,
        unnest([cumulative_views, followers]) as total
    from days
),

steps as (
    select
        organization_id,
        project_id,
        creator_id,
        counted,
        day,
        {{ milestone_step("total") }} as step
    from totals
    where total is not null
),

first_steps as (
    select
        creator_id,
        counted,
        arg_min(step, day) as step
    from steps
    group by creator_id, counted
),

first_days as (
    select
        organization_id,
        project_id,
        creator_id,
        counted,
        step,
        min(day) as day
    from steps
    where step > 0
    group by organization_id, project_id, creator_id, counted, step
),

reached as (
    select
        first_days.*,
        min(first_days.day) over higher as higher_on
    from first_days
    inner join first_steps using (creator_id, counted)
    where first_days.step > first_steps.step
    window higher as (
        partition by first_days.creator_id, first_days.counted
        order by first_days.step
        rows between 1 following and unbounded following
    )
)

select
    organization_id,
    project_id,
    creator_id,
    counted,
    {{ milestone_threshold("step") }} as threshold,
    day
from reached
where higher_on is null or day < higher_on
