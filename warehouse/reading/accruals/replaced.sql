-- What published accruals bring to sums no more, where newer decisions are about their subjects.

select
    project_id,
    structure_id,
    creator_id,
    period_end,
    status,
    -amount_cents as amount_cents
from earnings
semi join subjects on earnings.accrual_id = subjects.subject
union all
select
    project_id,
    structure_id,
    creator_id,
    period_end,
    status,
    -amount_cents as amount_cents
from decided
semi join subjects
    on coalesce(decided.adjusts_accrual_id, decided.accrual_id) = subjects.subject
