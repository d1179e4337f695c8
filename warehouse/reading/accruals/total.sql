-- What accruals come to, in cents: void ones nothing (money.md M17).

select cast(coalesce(sum(amount_cents), 0) as bigint) as total_cents
from wanted
where status != 'void'
