-- All columns of the accruals at some places: a page is found by two, and read by its days.

select *
from accruals
where
    period_end between $first_day and $last_day
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
order by period_end desc, accrual_id desc
