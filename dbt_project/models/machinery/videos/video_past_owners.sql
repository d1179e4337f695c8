with

owners as (
    select * from {{ ref('int_video_owners') }}
),

videos as (
    select * from {{ ref('videos') }}
)

select distinct
    owners.video_id,
    owners.creator_id,
    videos.organization_id
from owners
inner join videos on owners.video_id = videos.video_id
where owners.creator_id is not null and owners.creator_id is distinct from videos.creator_id
