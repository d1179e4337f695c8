with

accounts as (
    select * from {{ ref('stg_accounts') }}
    where is_active and not is_deactivated
),

last_days as (
    select * from {{ ref('int_account_last_days') }}
)

select
    accounts.account_id,
    accounts.creator_id,
    last_days.first_day
from accounts
left join last_days using (account_id)
