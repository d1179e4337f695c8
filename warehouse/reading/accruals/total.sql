-- What accruals come to, in cents: void ones nothing (money.md M17).

select rules.bounded_cents(coalesce(sum(amount_cents), 0)) as total_cents
from filtered
where status != 'void'
