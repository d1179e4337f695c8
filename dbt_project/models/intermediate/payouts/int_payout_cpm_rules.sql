with

versions as (
    select * from {{ ref('int_payout_versions') }}
    where criteria_type = 'cpm'
),

parameters as (
    select
        version_id,
        structure_id,
        version_number,
        platform_scope,
        platform,
        account_id,
        cast(criteria_params ->> '$.view_lifetime_days' as integer) as view_lifetime_days,
        coalesce(cast(criteria_params ->> '$.min_impressions' as bigint), 0) as min_impressions,
        cast(criteria_params ->> '$.max_payout_cents' as bigint) as max_payout_cents,
        cast(criteria_params -> '$.tiers' as json[]) as tiers
    from versions
),

bounded as (
    select
        *,
        [0] || list_transform(tiers, lambda tier: cast(tier ->> '$.up_to_impressions' as bigint)) as bounds
    from parameters
)

select
    * exclude (tiers, bounds),
    list_transform(range(1, len(tiers) + 1), lambda place: {
        'above': bounds[place],
        'up_to_impressions': bounds[place + 1],
        'rate_millionths': cast(
            cast(tiers[place] ->> '$.cents_per_thousand' as decimal(28, 6)) * 1000000 as decimal(38, 0)
        )
    }) as tiers
from bounded
