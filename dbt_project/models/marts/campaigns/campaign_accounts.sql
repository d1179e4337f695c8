with

items as (
    select * from {{ ref('int_campaign_items') }}
),

accounts as (
    select * from {{ ref('int_creator_accounts') }}
),

campaign_videos as (
    select * from {{ ref('campaign_videos') }}
),

creator_videos as (
    select * from {{ ref('int_creator_videos') }}
),

members as (
    select
        campaign_id,
        creator_id
    from items
    where creator_id is not null
    union
    select
        campaign_videos.campaign_id,
        creator_videos.creator_id
    from campaign_videos
    inner join creator_videos using (video_id)
)

select
    members.campaign_id,
    accounts.account_id
from members
inner join accounts using (creator_id)
