-- What accruals recompute to: Content's fields, with the id.

select
    accrual_id,
    columns($computed),
    (select as_of from marts.publication) as computed_at
from machinery.payout_earned
where
    organization_id = $organization_id
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
