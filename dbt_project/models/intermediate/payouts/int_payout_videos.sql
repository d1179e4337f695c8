with

owners as (
    select * from {{ ref('int_video_owners') }}
),

videos as (
    select * from {{ ref('stg_videos') }}
),

creator_zones as (
    select distinct
        creator_id,
        timezone,
        analytics_tz
    from {{ ref('int_payout_payees') }}
),

last_readings as (
    select * from {{ ref('int_video_last_readings') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

owned as (
    select
        owners.video_id,
        owners.creator_id,
        owners.account_id,
        owners.from_at,
        owners.until_at,
        creator_zones.timezone,
        owners.is_only and creator_zones.timezone = creator_zones.analytics_tz as is_by_day,
        videos.platform,
        {{ awaits_posted_at("videos") }} as awaits_posted_at,
        videos.is_counted and not awaits_posted_at as is_counted,
        videos.posted_at,
        last_readings.first_captured_at
    from owners
    inner join creator_zones using (creator_id)
    inner join videos using (video_id)
    left join last_readings using (video_id)
)

select
    owned.*,
    {{ local_day("owned.posted_at", "at_posting.utc_offset_seconds") }} as posted_on,
    {{ local_day("owned.first_captured_at", "at_first.utc_offset_seconds") }} as first_read_on
from owned
left join offsets as at_posting
    on
        owned.timezone = at_posting.zone
        and owned.posted_at >= at_posting.starts_at
        and owned.posted_at < at_posting.ends_at
left join offsets as at_first
    on
        owned.timezone = at_first.zone
        and owned.first_captured_at >= at_first.starts_at
        and owned.first_captured_at < at_first.ends_at
