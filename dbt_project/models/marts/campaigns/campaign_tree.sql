with recursive

campaigns as (
    select * from {{ ref('stg_campaigns') }}
),

steps as (
    select distinct
        campaign_id,
        child_campaign_id as sub_campaign_id
    from {{ ref('stg_campaign_items') }}
    where child_campaign_id is not null
),

descendants as (
    select
        campaign_id,
        sub_campaign_id
    from steps
    union
    select
        descendants.campaign_id,
        steps.sub_campaign_id
    from descendants
    inner join steps on descendants.sub_campaign_id = steps.campaign_id
)

select
    descendants.campaign_id,
    descendants.sub_campaign_id,
    campaigns.organization_id,
    steps.campaign_id is not null as is_direct
from descendants
inner join campaigns using (campaign_id)
left join steps using (campaign_id, sub_campaign_id)
where descendants.campaign_id <> descendants.sub_campaign_id
