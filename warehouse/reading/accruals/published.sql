-- An organization's accruals as published. The mart payout_accruals joins all; its halves are read apart:
-- a page of a million takes a tenth.

select * from earnings
union all by name
select * from decided
