with

accounts as (
    select * from {{ ref('stg_accounts') }}
),

organizations as (
    select * from {{ ref('stg_organizations') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
)

select
    accounts.account_id,
    offsets.starts_at,
    offsets.ends_at,
    offsets.utc_offset_seconds
from accounts
inner join organizations using (organization_id)
inner join offsets on organizations.analytics_tz = offsets.zone
