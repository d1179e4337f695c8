{{ config(materialized="view") }}

with

switches as (
    select
        organization_id,
        is_enabled,
        valid_from,
        coalesce(
            lead(valid_from) over (partition by organization_id order by valid_from), timestamptz 'infinity'
        ) as valid_until
    from {{ ref('stg_organization_conversion_payouts') }}
),

conversions as (
    select * from {{ ref('stg_conversions') }}
    where not is_voided
)

select
    conversions.conversion_id,
    conversions.project_id,
    conversions.conversion_event_id,
    conversions.creator_id,
    conversions.account_id,
    conversions.quantity,
    conversions.total_value_cents,
    conversions.occurred_at
from conversions
anti join switches
    on
        conversions.organization_id = switches.organization_id
        and not switches.is_enabled
        and conversions.recorded_at >= switches.valid_from
        and conversions.recorded_at < switches.valid_until
