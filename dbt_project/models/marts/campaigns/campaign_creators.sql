with

items as (
    select * from {{ ref('int_campaign_items') }}
),

campaigns as (
    select * from {{ ref('stg_campaigns') }}
),

videos as (
    select * from {{ ref('stg_videos') }}
),

owners as (
    select
        items.campaign_id,
        videos.creator_id
    from items
    inner join videos using (video_id)
    where videos.creator_id is not null
),

members as (
    select
        campaign_id,
        creator_id
    from items
    where creator_id is not null
    union
    select * from owners
)

select
    members.campaign_id,
    members.creator_id,
    campaigns.organization_id
from members
inner join campaigns using (campaign_id)
