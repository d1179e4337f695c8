-- Where the accruals of a page by creator stand, the largest sum first; of each at most some, the latest.

select
    period_end,
    accrual_id,
    creator_id,
    count(*) over of_creator as number,
    sum(amount_cents) over of_creator as cents
from filtered
window of_creator as (partition by creator_id)
qualify row_number() over (of_creator order by period_end desc, accrual_id desc) <= $most_of_each
order by cents desc, creator_id asc, period_end desc, accrual_id desc
limit
    $limit
    offset $offset
