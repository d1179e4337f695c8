{{ config(materialized="view") }}

with

creator_zones as (
    select distinct
        creator_id,
        timezone
    from {{ ref('int_payout_goal_periods') }}
    where metric = 'followers'
),

accounts as (
    select
        accounts.account_id,
        accounts.creator_id,
        creator_zones.timezone,
        zones.analytics_tz
    from {{ ref('stg_accounts') }} as accounts
    inner join creator_zones using (creator_id)
    inner join {{ ref('int_account_zones') }} as zones using (account_id)
),

-- Structures that kept their zone when the organization changed its own (M15) have different days.

elsewhere as (
    select * from accounts
    where timezone <> analytics_tz
),

readings as (
    select snapshots.*
    from {{ ref('stg_account_snapshots') }} as snapshots
    semi join elsewhere using (account_id)
    where snapshots.follower_count is not null
),

{{ merged_at_instant("readings", "account_id", ["follower"]) }},

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

dated as (
    select
        elsewhere.account_id,
        elsewhere.creator_id,
        elsewhere.timezone,
        merged.captured_at,
        merged.follower_at_least,
        {{ local_day("merged.captured_at", "offsets.utc_offset_seconds") }} as day
    from merged
    inner join elsewhere using (account_id)
    inner join offsets
        on
            elsewhere.timezone = offsets.zone
            and merged.captured_at >= offsets.starts_at
            and merged.captured_at < offsets.ends_at
)

select
    account_id,
    creator_id,
    timezone,
    day,
    arg_min(follower_at_least, captured_at) as first_followers,
    arg_max(follower_at_least, captured_at) as last_followers
from dated
group by account_id, creator_id, timezone, day
union all
select
    accounts.account_id,
    accounts.creator_id,
    accounts.timezone,
    days.day,
    days.first_followers,
    days.last_followers
from {{ ref('int_follower_days') }} as days
inner join accounts using (account_id)
where accounts.timezone = accounts.analytics_tz
