with

members as (
    select * from {{ ref('int_creator_videos') }}
),

videos as (
    select * from {{ ref('videos') }}
)

select
    members.creator_id,
    members.video_id,
    videos.organization_id,
    {{ appeared_at() }} as appeared_at,
    videos.first_captured_at
from members
inner join videos using (video_id)
