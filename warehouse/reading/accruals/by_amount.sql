-- Where the accruals of a page stand that is sorted by amount; equal amounts with the latest period first.

select
    period_end,
    accrual_id
from filtered
order by if($largest_first, -amount_cents, amount_cents), period_end desc, accrual_id desc
limit
    $limit
    offset $offset
