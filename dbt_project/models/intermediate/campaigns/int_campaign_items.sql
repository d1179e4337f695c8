with

items as (
    select * from {{ ref('stg_campaign_items') }}
),

descendants as (
    select
        campaign_id,
        campaign_id as descendant_id
    from {{ ref('stg_campaigns') }}
    union all
    select
        campaign_id,
        sub_campaign_id as descendant_id
    from {{ ref('campaign_tree') }}
)

select distinct
    descendants.campaign_id,
    items.creator_id,
    items.video_id
from descendants
inner join items on descendants.descendant_id = items.campaign_id
where items.child_campaign_id is null
