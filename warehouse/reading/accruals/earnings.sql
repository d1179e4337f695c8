-- What an organization owes as computed, of which nothing is decided: `decided` has the others.

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
    rules.status_by_time(
        cast($as_of as timestamptz),
        earned.ends_at,
        earned.period_end,
        earned.timezone,
        rules.settling_days(cast($settling_days as integer), earned.is_checked)
    ) as status
from machinery.payout_earned as earned
anti join decided using (accrual_id)
where earned.organization_id = $organization_id
