with

accounts as (
    select * from {{ ref('stg_accounts') }}
    where is_active and not is_deactivated
),

looks as (
    select * from {{ ref('int_account_looks') }}
)

select
    accounts.account_id,
    accounts.organization_id,
    accounts.project_id,
    accounts.creator_id,
    accounts.platform,
    accounts.handle,
    looks.last_profile_at,
    looks.last_discovery_at,
    looks.last_outcome,
    looks.last_outcome_at,
    coalesce(looks.failures_since_success, 0) as failures_since_success,
    coalesce(looks.last_profile_at < {{ as_of() }} - interval 28 hours, true) as is_stale_profile,
    coalesce(looks.last_discovery_at < {{ as_of() }} - interval 48 hours, true) as is_stale_discovery
from accounts
left join looks using (account_id)
