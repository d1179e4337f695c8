-- Some columns of the accruals of a page, the latest period first.

select columns($fields)
from filtered
where
    (
        $after_day is null
        or (
            period_end <= $after_day
            and (period_end < $after_day or accrual_id < $after_id)
        )
    )
    and (
        $until_day is null
        or (
            period_end >= $until_day
            and (period_end > $until_day or accrual_id >= $until_id)
        )
    )
order by period_end desc, accrual_id desc
limit
    $limit
    offset $offset
