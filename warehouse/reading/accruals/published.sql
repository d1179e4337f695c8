-- An organization's accruals as published: the halves of the mart payout_accruals without joins (a tenth).

select * from earnings
union all by name
select * from decided
