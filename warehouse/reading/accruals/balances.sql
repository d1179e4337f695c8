-- What creators earned (money.md M19, Balance), in cents: due, and in periods not over or settled.

select
    creator_id,
    cast(
        coalesce(sum(amount_cents) filter (where status in ('final', 'approved', 'paid')), 0) as bigint
    ) as accrued_cents,
    cast(
        coalesce(sum(amount_cents) filter (where status in ('open', 'settling')), 0) as bigint
    ) as open_cents
from wanted
group by creator_id
