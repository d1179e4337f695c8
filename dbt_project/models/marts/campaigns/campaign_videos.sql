select
    campaign_id,
    video_id
from {{ ref('int_campaign_videos') }}
