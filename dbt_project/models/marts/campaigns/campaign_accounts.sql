with

members as (
    select * from {{ ref('int_campaign_accounts') }}
),

accounts as (
    select * from {{ ref('accounts') }}
)

select
    members.campaign_id,
    members.account_id,
    accounts.organization_id,
    accounts.first_captured_at
from members
inner join accounts using (account_id)
