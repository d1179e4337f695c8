{{ config(materialized="view") }}

{#- Names tables and views by schema only, so that a publication can use its text unchanged. #}

select
    members.campaign_id,
    costs.creator_id,
    costs.day,
    costs.organization_id,
    costs.project_id,
    rules.bounded_cents(sum(costs.amount_cents)) as cost_cents,
    costs.currency
from {{ ref('payout_costs').include(database=false) }} as costs
inner join {{ ref('campaign_videos').include(database=false) }} as members
    on
        costs.organization_id = members.organization_id
        and costs.video_id = members.video_id
where not costs.is_planned
group by
    members.campaign_id,
    costs.creator_id,
    costs.day,
    costs.organization_id,
    costs.project_id,
    costs.currency
