-- Milestones are 1 and 5 times each power of ten from a thousand on: number 1 is 1,000, number 2 is 5,000,
-- number 3 is 10,000. Digits are counted, because a logarithm would round.

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
        if(
            total < 1000,
            0,
            2 * length(cast(total as varchar)) - if(left(cast(total as varchar), 1) >= '5', 6, 7)
        ) as number
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
    cast(rpad(if(number % 2 = 0, '5', '1'), cast(4 + (number - 1) // 2 as integer), '0') as bigint)
        as threshold,
    day
from reached
where higher_on is null or day < higher_on
