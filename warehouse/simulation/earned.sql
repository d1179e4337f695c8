select * -- noqa: AM04
from marts.payout_accruals
where period_start <= $to_day and period_end >= $from_day
order by creator_id, period_start, accrual_id
