-- What amounts were computed from, of whom, and of which periods.

select
    accrual_id,
    evidence,
    creator_id,
    timezone,
    period_start,
    ends_at
from machinery.payout_earnings
where
    organization_id = $organization_id
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
