-- The accruals at some positions: a page is found by two, and read by its days and filters, as
-- constants that leave out whole stretches of a table.

select columns($fields)
from filtered
where
    period_end between $first_day and $last_day
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
order by period_end desc, accrual_id desc
