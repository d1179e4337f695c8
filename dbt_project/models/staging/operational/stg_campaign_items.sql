with

copied as (
    select * from {{ source('operational', 'campaign_items') }}
)

select
    campaign_id,
    creator_id,
    video_id,
    child_campaign_id
from copied
