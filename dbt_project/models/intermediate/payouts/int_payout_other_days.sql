with

videos as (
    select * from {{ ref('int_payout_videos') }}
    where not is_by_day
),

payees as (
    {{ scoped(ref('int_payout_payees'), ref('int_touched_payees'), "payee_id") }}
),

paid as (
    select * from payees
    where criteria_type in ('cpm', 'view_threshold')
),

video_zones as (
    select distinct
        videos.video_id,
        videos.timezone
    from videos
    semi join paid using (creator_id)
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

readings as (
    select
        deltas.video_id,
        video_zones.timezone,
        deltas.captured_at,
        deltas.view_count,
        {{ local_day("deltas.captured_at", "offsets.utc_offset_seconds") }} as day
    from {{ ref('video_deltas') }} as deltas
    inner join video_zones using (video_id)
    inner join offsets
        on
            video_zones.timezone = offsets.zone
            and deltas.captured_at >= offsets.starts_at
            and deltas.captured_at < offsets.ends_at
    where deltas.view_count is not null
),

marked as (
    select
        *,
        max(view_count) over earlier as high_water_mark_before,
        lag(day) over (partition by video_id, timezone order by captured_at) as read_before
    from readings
    window earlier as (
        partition by video_id, timezone order by captured_at
        rows between unbounded preceding and 1 preceding
    )
)

select
    videos.video_id,
    videos.creator_id,
    videos.account_id,
    videos.from_at,
    videos.timezone,
    marked.day,
    arg_min(marked.view_count, marked.captured_at) as first_views,
    if(
        bool_or(marked.high_water_mark_before is null), null, min(marked.high_water_mark_before)
    ) as high_water_mark_before,
    greatest(max(marked.high_water_mark_before), max(marked.view_count)) as high_water_mark,
    min(marked.read_before) as read_before
from marked
inner join videos
    on
        marked.video_id = videos.video_id
        and marked.timezone = videos.timezone
        and marked.captured_at >= videos.from_at
        and marked.captured_at < videos.until_at
group by all
order by marked.day
