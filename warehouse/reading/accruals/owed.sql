-- What accruals recompute to, by the names of Content's fields.

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
    (select as_of from marts.publication) as computed_at
from machinery.payout_earned
where
    organization_id = $organization_id
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
