-- Where the accruals of a page by creator stand, the largest sum first; of each at most some, the latest.

with creators as (
    select
        creator_id,
        count(*) as number,
        sum(amount_cents) as cents
    from filtered
    group by creator_id
    order by cents desc, creator_id asc
    limit $limit + $offset
)

select
    filtered.period_end,
    filtered.accrual_id,
    creators.*
from filtered
inner join creators using (creator_id)
window latest as (partition by creator_id order by filtered.period_end desc, filtered.accrual_id desc)
qualify row_number() over latest <= $most_of_each
order by creators.cents desc, creators.creator_id asc, filtered.period_end desc, filtered.accrual_id desc
limit
    $limit
    offset $offset
