with

accounts as (
    select * from {{ ref('stg_accounts') }}
),

latest as (
    select * from {{ ref('int_account_latest') }}
)

select
    accounts.account_id,
    accounts.organization_id,
    accounts.project_id,
    accounts.creator_id,
    accounts.platform,
    accounts.handle,
    accounts.is_active,
    accounts.is_deactivated,
    latest.first_captured_at,
    latest.last_captured_at
    {%- for counter in account_counters() %},
    latest.{{ counter }}_count
    {%- endfor %}
from accounts
left join latest using (account_id)
