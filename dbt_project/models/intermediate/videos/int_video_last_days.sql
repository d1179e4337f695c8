{{ last_days(
    days=ref('video_daily'),
    zones=ref('int_video_zones'),
    touched=ref('int_touched_videos'),
    published=source('control', 'video_last_days'),
    key='video_id',
    gained=video_counters().values(),
) }}
