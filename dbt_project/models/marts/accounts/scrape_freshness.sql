with

accounts as (
    select * from {{ ref('stg_accounts') }}
    where is_active and not is_deactivated
),

looks as (
    select * from {{ ref('stg_scrape_outcomes') }}
    where account_id is not null and video_id is null
),

successes as (
    select
        account_id,
        max(finished_at) filter (job_type = 'creator_profiles') as last_profile_at,
        max(finished_at) filter (job_type = 'discover_videos') as last_discovery_at,
        max(finished_at) as last_success_at
    from looks
    where outcome = 'ok'
    group by account_id
),

latest as (
    select
        looks.account_id,
        arg_max(looks.outcome, (looks.finished_at, looks.batch_seq, looks.job_type, looks.outcome)) as last_outcome,
        max(looks.finished_at) as last_outcome_at,
        count(*) filter (
            looks.outcome <> 'ok' and (successes.last_success_at is null or looks.finished_at > successes.last_success_at)
        ) as failures_since_success
    from looks
    left join successes using (account_id)
    group by looks.account_id
)

select
    accounts.account_id,
    accounts.organization_id,
    accounts.project_id,
    accounts.creator_id,
    accounts.platform,
    accounts.handle,
    successes.last_profile_at,
    successes.last_discovery_at,
    latest.last_outcome,
    latest.last_outcome_at,
    coalesce(latest.failures_since_success, 0) as failures_since_success,
    coalesce(successes.last_profile_at < {{ run_instant('as_of', 'infinity') }} - interval 28 hours, true) as is_stale_profile,
    coalesce(successes.last_discovery_at < {{ run_instant('as_of', 'infinity') }} - interval 48 hours, true) as is_stale_discovery
from accounts
left join successes using (account_id)
left join latest using (account_id)
