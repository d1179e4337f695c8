select
    creator_id,
    video_id,
    appeared_on
from {{ ref('int_counted_videos') }}
where creator_id is not null
