-- An organization's accruals as published.
--
-- The mart payout_accruals has them for everybody; here its two halves are read apart, which leaves out joins
-- over all accruals of an organization: a page of a million takes a tenth.

select * from earnings
union all by name
select * from decided
