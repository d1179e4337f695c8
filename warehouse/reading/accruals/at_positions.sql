-- The accruals at some positions, by days and creators as constants, which leave out most of a table.

select columns($fields)
from accruals
where
    period_end between $first_day and $last_day
    and ($creators is null or creator_id in (select cast(unnest(string_split($creators, ',')) as uuid)))
    and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
order by period_end desc, accrual_id desc
