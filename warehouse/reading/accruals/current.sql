-- An organization's accruals as they stand now: as published (see published.sql), and in their place those of
-- the subjects that newer decisions are about.

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
