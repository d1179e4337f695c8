with

videos as (
    select * from {{ ref('videos') }}
    where is_counted
),

offsets as (
    select * from {{ ref('int_video_offsets') }}
),

dated as (
    select
        *,
        coalesce(posted_at, first_captured_at) as appeared_at
    from videos
)

select
    dated.video_id,
    dated.organization_id,
    dated.project_id,
    dated.creator_id,
    {{ local_day("dated.appeared_at", "offsets.utc_offset_seconds") }} as appeared_on
from dated
left join offsets
    on
        dated.video_id = offsets.video_id
        and dated.appeared_at >= offsets.starts_at
        and dated.appeared_at < offsets.ends_at
        and dated.appeared_at <= {{ run_instant('as_of', 'infinity') }}
