-- An organization's accruals as published.
--
-- The mart payout_accruals has them for everybody; here its two halves are read apart, which leaves out joins
-- over all accruals of an organization: a page of a million takes a tenth.

with

decided as not materialized (
    select *
    from marts.payout_decided_accruals
    where organization_id = $organization_id
)

select
    earned.accrual_id,
    earned.organization_id,
    earned.project_id,
    earned.structure_id,
    earned.creator_id,
    earned.version_id,
    earned.version_number,
    earned.criteria_type,
    earned.period_start,
    earned.period_end,
    earned.subject_id,
    earned.view_count,
    earned.currency,
    earned.amount_cents,
    earned.precise_amount,
    earned.limited_by,
    earned.timezone,
    cast($as_of as timestamptz) as computed_at,
    'earning' as kind,
    cast(null as uuid) as adjusts_accrual_id,
    cast(null as bigint) as adjustment_number,
    cast(null as date) as booked_in,
    cast(null as varchar) as reason,
    rules.status_by_time(
        cast($as_of as timestamptz),
        earned.ends_at,
        earned.period_end,
        earned.timezone,
        cast($settling_days as integer)
    ) as status,
    cast(null as uuid) as payment_id,
    cast(null as varchar) as note
from marts.payout_earned as earned
anti join decided using (accrual_id)
where earned.organization_id = $organization_id
union all
select
    accrual_id,
    organization_id,
    project_id,
    structure_id,
    creator_id,
    version_id,
    version_number,
    criteria_type,
    period_start,
    period_end,
    subject_id,
    view_count,
    currency,
    amount_cents,
    precise_amount,
    limited_by,
    timezone,
    computed_at,
    kind,
    adjusts_accrual_id,
    adjustment_number,
    booked_in,
    reason,
    status,
    payment_id,
    note
from decided
