with

accounts as (
    select * from {{ ref('stg_accounts') }}
    where is_active and not is_deactivated
),

fetches as (
    select * from {{ ref('int_account_fetches') }}
)

select
    accounts.account_id,
    accounts.organization_id,
    accounts.project_id,
    accounts.creator_id,
    accounts.platform,
    accounts.handle,
    fetches.last_profile_at,
    fetches.last_discovery_at,
    fetches.last_outcome,
    fetches.last_outcome_at,
    coalesce(fetches.failures_since_success, 0) as failures_since_success,
    coalesce(fetches.last_profile_at < {{ as_of() }} - interval 28 hours, true) as is_stale_profile,
    coalesce(fetches.last_discovery_at < {{ as_of() }} - interval 48 hours, true) as is_stale_discovery
from accounts
left join fetches using (account_id)
