-- How many accruals each value of a column has, and their sum in cents, void ones included.

select
    columns($of),
    count(*) as number,
    rules.bounded_cents(sum(amount_cents)) as cents
from filtered
group by all
