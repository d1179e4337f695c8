-- Those of `accruals` that filters leave; null leaves all. Days are inclusive, of the end of the period.

select
    *,
    payment_id is null
    and status != 'void'
    and amount_cents > 0
    and coalesce(adjusts_accrual_id, accrual_id)
    in (select cast(unnest(string_split($on_hold_ids, ',')) as uuid)) as is_on_hold
from accruals
where
    ($project_id is null or project_id = $project_id)
    and ($creator_id is null or creator_id = $creator_id)
    and ($structure_id is null or structure_id = $structure_id)
    and ($status is null or status = $status)
    and ($in_payment is null or $in_payment = (payment_id is not null))
    and ($from_day is null or period_end >= $from_day)
    and ($to_day is null or period_end <= $to_day)
    and (
        $creator_ids is null
        or creator_id in (select cast(unnest(string_split($creator_ids, ',')) as uuid))
    )
    and ($is_on_hold is null or $is_on_hold = is_on_hold)
    and (
        $updated_since is null
        or computed_at >= $updated_since
        or coalesce(adjusts_accrual_id, accrual_id)
        in (select cast(unnest(string_split($updated_ids, ',')) as uuid))
    )
