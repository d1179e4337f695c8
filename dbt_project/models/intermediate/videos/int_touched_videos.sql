{{ touched_by_readings(
    facts=ref('stg_video_snapshots'),
    zones=ref('int_video_zones'),
    last_readings=source('control', 'video_last_readings'),
    last_days=source('control', 'video_last_days'),
    key='video_id',
) }}
