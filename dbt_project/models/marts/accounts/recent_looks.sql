with

looks as (
    select * from {{ ref('stg_scrape_outcomes') }}
    where finished_at > {{ as_of() }} - interval 24 hours
),

accounts as (
    select * from {{ ref('stg_accounts') }}
),

videos as (
    select * from {{ ref('stg_videos') }}
),

placed as (
    select
        coalesce(accounts.organization_id, videos.organization_id) as organization_id,
        coalesce(accounts.project_id, videos.project_id) as project_id,
        coalesce(accounts.platform, videos.platform) as platform,
        looks.account_id,
        looks.outcome,
        looks.finished_at
    from looks
    left join accounts using (account_id)
    left join videos using (video_id)
)

select
    organization_id,
    project_id,
    platform,
    account_id,
    outcome,
    {{ is_refusal('outcome') }} as is_refusal,
    count(*) as looks,
    min(finished_at) as first_at,
    max(finished_at) as last_at
from placed
where project_id is not null
group by organization_id, project_id, platform, account_id, outcome
