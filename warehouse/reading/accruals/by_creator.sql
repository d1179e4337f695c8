-- Where the accruals of a page stand that is grouped by creator, the largest sum first; those of a creator
-- with the latest period first.

select
    period_end,
    accrual_id
from filtered
order by
    sum(amount_cents) over (partition by creator_id) desc,
    creator_id asc,
    period_end desc,
    accrual_id desc
limit
    $limit
    offset $offset
