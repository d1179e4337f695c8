with recursive

items as (
    select * from {{ ref('stg_campaign_items') }}
),

descendants as (
    select
        campaign_id,
        campaign_id as descendant_id
    from {{ ref('stg_campaigns') }}
    union
    select
        descendants.campaign_id,
        items.child_campaign_id as descendant_id
    from descendants
    inner join items on descendants.descendant_id = items.campaign_id
    where items.child_campaign_id is not null
)

select distinct
    descendants.campaign_id,
    items.creator_id,
    items.video_id
from descendants
inner join items on descendants.descendant_id = items.campaign_id
where items.child_campaign_id is null
