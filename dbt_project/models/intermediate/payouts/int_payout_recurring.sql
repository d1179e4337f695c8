{{ config(materialized="view") }}

with

payees as (
    select * from {{ ref('int_payout_payees') }}
    where criteria_type = 'recurring'
),

periods as (
    select
        periods.*,
        payees.organization_id,
        payees.project_id,
        payees.structure_id,
        payees.creator_id,
        payees.criteria_type,
        payees.timezone,
        versions.amount_cents as full_cents,
        versions.proration_mode
    from {{ ref('int_payout_periods') }} as periods
    inner join payees using (payee_id)
    inner join {{ ref('int_payout_versions') }} as versions using (version_id)
),

priced as (
    select
        *,
        {{ limits(limits_of_days("periods")) }} as limits,
        {{ prorated_cents("full_cents", "periods") }} as precise_amount
    from periods
)

select
    {{ earning_of_period(whole_cents("precise_amount")) }},
    json_object(
        'type', 'recurring',
        'amount_cents', full_cents,
        'proration_mode', proration_mode,
        'days', days,
        'covered_days', covered_days,
        'paused_days', paused_days,
        'limited_by', limits
    ) as evidence
from priced
where {{ whole_cents("precise_amount") }} > 0
