with

accounts as (
    select * from {{ ref('stg_accounts') }}
),

last_readings as (
    select * from {{ ref('int_account_last_readings') }}
)

select
    accounts.account_id,
    accounts.organization_id,
    accounts.project_id,
    accounts.creator_id,
    accounts.platform,
    accounts.handle,
    accounts.display_name,
    accounts.is_active,
    accounts.is_deactivated,
    {%- for counter in account_counters() %}
        last_readings.{{ counter }}_count,
        last_readings.{{ counter }}_captured_at,
        last_readings.{{ counter }}_first_captured_at,
    {%- endfor %}
    last_readings.first_captured_at,
    last_readings.last_captured_at
from accounts
left join last_readings using (account_id)
