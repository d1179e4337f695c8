with

-- Whoever was paid stays a payee without assignments: amounts are then corrected to nothing (M19).

assignments as (
    select
        structure_id,
        creator_id
    from {{ ref('stg_payout_assignments') }}
    union
    select
        structure_id,
        creator_id
    from {{ ref('stg_payout_payment_accruals') }}
),

versions as (
    select * from {{ ref('stg_payout_versions') }}
),

rules as (
    select
        structure_id,
        arg_max(criteria_type, version_number) as criteria_type,
        nullif(arg_max(coalesce(period, 'none'), version_number), 'none') as period,
        arg_max(coalesce(period_anchor, 1), version_number) as period_anchor,
        arg_max(backfill_on_assignment, version_number) as backfill_on_assignment,
        min(created_at) as created_at
    from versions
    group by structure_id
)

select
    {{ payee_id("assignments") }} as payee_id,
    assignments.structure_id,
    assignments.creator_id,
    structures.organization_id,
    structures.project_id,
    coalesce(structures.timezone, organizations.analytics_tz) as timezone,
    organizations.analytics_tz,
    rules.criteria_type,
    rules.period,
    rules.period_anchor,
    rules.backfill_on_assignment
from assignments
inner join {{ ref('stg_payout_structures') }} as structures using (structure_id)
inner join {{ ref('stg_organizations') }} as organizations using (organization_id)
inner join rules using (structure_id)
