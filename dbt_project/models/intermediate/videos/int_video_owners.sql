with

owners as (
    select * from {{ ref('stg_video_owners') }}
),

videos as (
    select * from {{ ref('stg_videos') }}
),

ownerships as (
    select * from owners
    union all
    select
        videos.video_id,
        videos.account_id,
        videos.creator_id,
        timestamptz '-infinity' as valid_from
    from videos
    anti join owners using (video_id)
    where videos.creator_id is not null
)

select
    video_id,
    account_id,
    creator_id,
    if(row_number() over of_video = 1, timestamptz '-infinity', valid_from) as from_at,
    coalesce(lead(valid_from) over of_video, timestamptz 'infinity') as until_at,
    count(*) over (partition by video_id) = 1 as is_only
from ownerships
window of_video as (partition by video_id order by valid_from)
