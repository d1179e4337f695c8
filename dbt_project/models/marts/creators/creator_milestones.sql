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

milestones as (
    select
        organization_id,
        project_id,
        creator_id,
        counted,
        day,
        {{ milestone_number("total") }} as number
    from totals
    where total is not null
),

first_milestones as (
    select
        creator_id,
        counted,
        arg_min(number, day) as number
    from milestones
    group by creator_id, counted
),

first_days as (
    select
        organization_id,
        project_id,
        creator_id,
        counted,
        number,
        min(day) as day
    from milestones
    where number > 0
    group by organization_id, project_id, creator_id, counted, number
),

reached as (
    select
        first_days.*,
        min(first_days.day) over higher as higher_on
    from first_days
    inner join first_milestones using (creator_id, counted)
    where first_days.number > first_milestones.number
    window higher as (
        partition by first_days.creator_id, first_days.counted
        order by first_days.number
        rows between 1 following and unbounded following
    )
)

select
    organization_id,
    project_id,
    creator_id,
    counted,
    {{ milestone_threshold("number") }} as threshold,
    day
from reached
where higher_on is null or day < higher_on
