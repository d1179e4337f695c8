{{ config(materialized="view") }}

select
    accounts.account_id,
    organizations.analytics_tz
from {{ ref('stg_accounts') }} as accounts
inner join {{ ref('stg_organizations') }} as organizations using (organization_id)
