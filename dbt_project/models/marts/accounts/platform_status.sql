-- Same definition as in scrapers/refusing.py: tests/dbt_project/test_platform_status.py compares the two.
with

placed as (
    select
        coalesce(accounts.organization_id, videos.organization_id) as organization_id,
        coalesce(accounts.project_id, videos.project_id) as project_id,
        coalesce(accounts.platform, videos.platform) as platform,
        accounts.handle,
        videos.platform_video_id,
        fetches.job_type,
        fetches.outcome,
        {{ is_refusal('fetches.outcome') }} as is_refusal,
        fetches.finished_at
    from {{ ref('stg_scrape_outcomes') }} as fetches
    left join {{ ref('stg_accounts') }} as accounts using (account_id)
    left join {{ ref('stg_videos') }} as videos using (video_id)
    where fetches.finished_at > {{ as_of() }} - interval 24 hours
),

-- A fetch that several projects share counts once for the installation.
scoped as (
    select
        organization_id,
        project_id,
        platform,
        job_type,
        outcome,
        is_refusal,
        finished_at
    from placed
    where project_id is not null
    union all
    select
        null as organization_id,
        null as project_id,
        platform,
        job_type,
        outcome,
        is_refusal,
        finished_at
    from placed
    where project_id is not null
    group by platform, job_type, outcome, is_refusal, finished_at, handle, platform_video_id
),

ranked as (
    select
        *,
        row_number() over newest_first as position,
        max(finished_at) over (partition by project_id, platform) - interval 1 hour as counts_from,
        count(*) filter (where is_refusal) over last_eight = 0 as is_calm
    from scoped
    window
        newest_first as (partition by project_id, platform, job_type order by finished_at desc, outcome asc),
        last_eight as (
            partition by project_id, platform, job_type
            order by finished_at asc, outcome desc rows between 7 preceding and current row
        )
),

recent as (
    select
        *,
        position <= 16 and finished_at > counts_from as is_recent,
        min(if(is_calm, position, null)) over (partition by project_id, platform, job_type) as calm_position
    from ranked
),

by_route as (
    select
        organization_id,
        project_id,
        platform,
        job_type,
        count(*) filter (where is_recent) as fetches,
        count(*) filter (where is_recent and is_refusal) as refused,
        min(finished_at) filter (
            where is_refusal and position < coalesce(calm_position, 1e9)
        ) as refused_since
    from recent
    group by organization_id, project_id, platform, job_type
),

by_platform as (
    select
        organization_id,
        project_id,
        platform,
        sum(fetches) as fetches,
        sum(refused) as refused,
        bool_or(refused >= 8) as is_route_refusing,
        sum(refused) > 0 and sum(fetches) < 16 and 2 * sum(refused) >= sum(fetches) as is_hour_refused,
        min(refused_since) filter (where refused >= 8) as route_refused_since,
        min(refused_since) filter (where refused > 0) as hour_refused_since
    from by_route
    group by organization_id, project_id, platform
),

outcomes as (
    select
        project_id,
        platform,
        outcome,
        count(*) as fetches,
        max(finished_at) as last_at
    from recent
    where is_recent and is_refusal
    group by project_id, platform, outcome
),

commonest as (
    select
        project_id,
        platform,
        arg_max(outcome, (fetches, last_at, outcome)) as outcome
    from outcomes
    group by project_id, platform
)

select
    by_platform.organization_id,
    by_platform.project_id,
    by_platform.platform,
    by_platform.is_route_refusing or by_platform.is_hour_refused as is_refusing,
    cast(by_platform.fetches as bigint) as fetches,
    cast(by_platform.refused as bigint) as refused,
    case
        when by_platform.is_route_refusing then by_platform.route_refused_since
        when by_platform.is_hour_refused then by_platform.hour_refused_since
    end as refused_since,
    if(by_platform.is_route_refusing or by_platform.is_hour_refused, commonest.outcome, null) as outcome
from by_platform
left join commonest
    on
        by_platform.project_id is not distinct from commonest.project_id
        and by_platform.platform = commonest.platform
