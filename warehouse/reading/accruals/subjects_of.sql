-- What accruals that were decided about, or adjust such, are about.

select
    accrual_id,
    coalesce(adjusts_accrual_id, accrual_id) as subject
from machinery.payout_decided_accruals
where
    organization_id = $organization_id
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
