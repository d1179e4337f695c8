-- Months of creators without a view cost something too: the sums of each currency are those of the marts.

with

here as (
    select
        currency,
        sum(cost_cents) as cents
    from {{ ref('creator_months') }}
    where cost_cents is not null
    group by currency
),

there as (
    select
        currency,
        sum(amount_cents) as cents
    from {{ source('marts', 'payout_costs') }}
    where not is_planned
    group by currency
)

select * from here full outer join there using (currency)
where here.cents is distinct from there.cents
