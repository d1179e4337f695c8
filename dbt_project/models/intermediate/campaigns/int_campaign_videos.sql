with

items as (
    select * from {{ ref('int_campaign_items') }}
),

videos as (
    select * from {{ ref('int_counted_videos') }}
),

through_creators as (
    select
        items.campaign_id,
        videos.video_id
    from items
    inner join videos using (creator_id)
),

added_directly as (
    select
        items.campaign_id,
        videos.video_id
    from items
    inner join videos using (video_id)
),

members as (
    select * from through_creators
    union
    select * from added_directly
)

select
    members.campaign_id,
    members.video_id,
    videos.creator_id,
    videos.appeared_on,
    videos.first_day
from members
inner join videos using (video_id)
