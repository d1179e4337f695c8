with

members as (
    select * from {{ ref('campaign_videos') }}
),

videos as (
    select * from {{ ref('int_counted_videos') }}
)

select
    members.campaign_id,
    members.video_id,
    videos.appeared_on
from members
inner join videos using (video_id)
