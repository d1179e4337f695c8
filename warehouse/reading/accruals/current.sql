-- An organization's accruals now: as published, and in their place those of subjects with newer decisions.

select earnings.*
from earnings
anti join subjects on earnings.accrual_id = subjects.subject
union all by name
select decided.*
from decided
anti join subjects
    on coalesce(decided.adjusts_accrual_id, decided.accrual_id) = subjects.subject
union all by name
select * from newer
