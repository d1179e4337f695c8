-- How many accruals creators have, and their sum in cents, void ones included.

select
    creator_id,
    count(*) as number,
    rules.bounded_cents(sum(amount_cents)) as cents
from filtered
group by creator_id
