-- On which days the periods of accruals end, and whose they are.

select
    accrual_id,
    period_end,
    creator_id
from machinery.payout_earned
where
    organization_id = $organization_id
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
