select
    structure_id,
    creator_id,
    sum(amount_cents) as amount_cents
from marts.payout_accruals
where period_start <= $to_day and period_end >= $from_day
group by structure_id, creator_id
order by structure_id, creator_id
