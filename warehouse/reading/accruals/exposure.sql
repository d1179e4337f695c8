-- What accruals come to, in cents, by how they stand (money.md M17): void ones count nowhere.

select
    cast(coalesce(sum(amount_cents) filter (where status = 'open'), 0) as bigint) as open_cents,
    cast(coalesce(sum(amount_cents) filter (where status = 'settling'), 0) as bigint) as settling_cents,
    cast(coalesce(sum(amount_cents) filter (where status = 'final'), 0) as bigint) as final_cents,
    cast(coalesce(sum(amount_cents) filter (where status = 'approved'), 0) as bigint) as approved_cents,
    cast(coalesce(sum(amount_cents) filter (where status = 'paid'), 0) as bigint) as paid_cents
from wanted
