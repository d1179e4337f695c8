with

views as (
    select
        creator_id,
        cast(date_trunc('month', day) as date) as month,
        cast(sum(new_views) as bigint) as views
    from {{ source('marts', 'creator_daily') }}
    group by all
),

costs as (
    select
        creator_id,
        cast(date_trunc('month', day) as date) as month,
        currency,
        cast(sum(amount_cents) as bigint) as cost_cents
    from {{ source('marts', 'payout_costs') }}
    where not is_planned
    group by all
)

select
    creators.creator_id,
    creators.display_name,
    month,
    views.views,
    costs.currency,
    costs.cost_cents
from views
full outer join costs using (creator_id, month)
inner join {{ source('marts', 'creators') }} as creators using (creator_id)
order by month, creators.display_name
