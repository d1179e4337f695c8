{{ config(materialized="view") }}

select
    account_id,
    deactivated_at as from_at,
    coalesce(reactivated_at, timestamptz 'infinity') as until_at
from {{ ref('stg_account_deactivations') }}
union all
select
    account_id,
    coalesce(removed_at, timestamptz '-infinity') as from_at,
    timestamptz 'infinity' as until_at
from {{ ref('stg_accounts') }}
where not is_active
