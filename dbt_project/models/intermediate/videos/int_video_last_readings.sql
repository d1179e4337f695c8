{{ last_readings(
    mart=ref('video_deltas'),
    facts=ref('stg_video_snapshots'),
    touched=ref('int_touched_videos'),
    published=source('control', 'video_last_readings'),
    key='video_id',
    counters=video_counters(),
) }}
