-- What creators earned (money.md M19, Balance), in cents: due, and in periods not over or settled.

select
    creator_id,
    rules.bounded_cents(
        coalesce(sum(amount_cents) filter (where status in ('final', 'approved', 'paid')), 0)
    ) as accrued_cents,
    rules.bounded_cents(
        coalesce(sum(amount_cents) filter (where status in ('open', 'settling')), 0)
    ) as open_cents
from filtered
group by creator_id
