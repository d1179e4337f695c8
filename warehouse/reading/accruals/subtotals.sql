-- How many accruals each status has, and their sum in cents, void ones included: those on hold and others.

select
    status,
    is_on_hold,
    count(*) as number,
    rules.bounded_cents(sum(amount_cents)) as cents
from filtered
group by all
