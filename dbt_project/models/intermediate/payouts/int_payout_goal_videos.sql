{{ config(materialized="view") }}

with

judged as (
    select
        creator_id,
        timezone,
        min(period_start) as since
    from {{ ref('int_payout_goal_periods') }}
    group by creator_id, timezone
),

retained as (
    select distinct video_id
    from {{ ref('int_payout_kept_videos') }}
)

select
    videos.video_id,
    videos.account_id,
    videos.creator_id,
    videos.from_at,
    videos.until_at,
    videos.timezone,
    videos.is_by_day,
    videos.is_counted,
    videos.posted_at,
    videos.posted_on,
    judged.since
from {{ ref('int_payout_videos') }} as videos
inner join judged using (creator_id, timezone)
left join retained using (video_id)
where videos.is_counted or retained.video_id is not null
