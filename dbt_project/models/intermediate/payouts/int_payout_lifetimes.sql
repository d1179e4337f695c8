with

videos as (
    select distinct
        video_id,
        creator_id,
        timezone,
        coalesce(posted_at, first_captured_at) as begins_at
    from {{ ref('int_payout_videos') }}
),

payees as (
    select * from {{ ref('int_payout_payees') }}
),

lengths as (
    select distinct
        payees.creator_id,
        payees.timezone,
        versions.view_lifetime_days
    from {{ ref('int_payout_cpm_rules') }} as versions
    inner join payees using (structure_id)
    where versions.view_lifetime_days is not null
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

lifetimes as (
    select distinct
        videos.video_id,
        videos.timezone,
        lengths.view_lifetime_days,
        videos.begins_at + lengths.view_lifetime_days * interval 24 hours as ends_at
    from videos
    inner join lengths using (creator_id, timezone)
    where videos.begins_at is not null
),

dated as (
    select
        lifetimes.*,
        {{ local_day("lifetimes.ends_at", "offsets.utc_offset_seconds") }} as ends_on
    from lifetimes
    inner join offsets
        on
            lifetimes.timezone = offsets.zone
            and lifetimes.ends_at >= offsets.starts_at
            and lifetimes.ends_at < offsets.ends_at
),

-- The end day may have readings before and after the end: the readings of the two days up to it are more than
-- enough, because those of earlier days raise no mark.

ended as (
    select
        dated.video_id,
        dated.timezone,
        dated.view_lifetime_days,
        max(deltas.view_count) as last_views
    from dated
    inner join {{ ref('video_deltas') }} as deltas
        on
            dated.video_id = deltas.video_id
            and dated.ends_at - interval 2 days < deltas.captured_at
            and dated.ends_at >= deltas.captured_at
    where
        deltas.captured_at
        > {{ least_of(ref('int_payout_periods'), "starts_at - interval 2 days", "timestamptz") }}
    group by all
)

select
    video_id,
    timezone,
    view_lifetime_days,
    dated.ends_at,
    if(dated.ends_at <= {{ as_of() }}, dated.ends_on, null) as ended_on,
    ended.last_views
from dated
left join ended using (video_id, timezone, view_lifetime_days)
