-- What an organization owes as computed, of which nothing is decided: `decided` has the others.

select
    earned.accrual_id,
    columns($computed),
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
