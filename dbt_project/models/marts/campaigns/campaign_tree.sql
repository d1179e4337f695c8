with recursive

campaigns as (
    select * from {{ ref('stg_campaigns') }}
),

children as (
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
    from children
    union
    select
        descendants.campaign_id,
        children.sub_campaign_id
    from descendants
    inner join children on descendants.sub_campaign_id = children.campaign_id
)

select
    descendants.campaign_id,
    descendants.sub_campaign_id,
    campaigns.organization_id,
    children.campaign_id is not null as is_direct
from descendants
inner join campaigns using (campaign_id)
left join children using (campaign_id, sub_campaign_id)
where descendants.campaign_id <> descendants.sub_campaign_id
