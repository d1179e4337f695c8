-- Where the accruals of a page stand that is grouped by creator, the largest sum first; those of a creator
-- with the latest period first.

select
    period_end,
    accrual_id
from filtered
window of_creator as (partition by creator_id)
order by sum(amount_cents) over of_creator desc, creator_id asc, period_end desc, accrual_id desc
limit
    $limit
    offset $offset
