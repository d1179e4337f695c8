with

counted as (
    select
        videos.*,
        organizations.analytics_tz,
        coalesce(videos.posted_at, videos.first_captured_at) as appeared_at
    from marts.videos as videos
    inner join marts.organizations as organizations using (organization_id)
    where
        videos.organization_id = $organization_id
        and videos.project_id = $project_id
        and videos.is_counted
),

unowned as (
    select
        video_id,
        cast(timezone(analytics_tz, appeared_at) as date) as day
    from counted
    where creator_id is null
),

older as (
    select
        unnest([
            like_first_captured_at, comment_first_captured_at, share_first_captured_at, save_first_captured_at
        ]) as first_at,
        unnest([
            like_before_tracking, comment_before_tracking, share_before_tracking, save_before_tracking
        ]) as before_tracking,
        analytics_tz
    from counted
    where
        greatest(
            like_before_tracking, comment_before_tracking, share_before_tracking, save_before_tracking
        ) > 0
),

days as (
    select
        day,
        new_views,
        new_videos,
        rules.engagement(new_likes, new_comments, new_shares, new_saves) as engagements
    from marts.creator_daily
    where organization_id = $organization_id and project_id = $project_id
    union all by name
    select
        daily.day,
        daily.new_views,
        rules.engagement(
            daily.new_likes, daily.new_comments, daily.new_shares, daily.new_saves
        ) as engagements
    from marts.video_daily as daily
    inner join unowned using (video_id)
    union all by name
    select
        day,
        1 as new_videos
    from unowned
    union all by name
    select
        cast(timezone(analytics_tz, first_at) as date) as day,
        -before_tracking as engagements
    from older
    where before_tracking > 0
)

select
    day,
    cast(sum(new_views) as bigint) as views,
    cast(sum(new_videos) as bigint) as posts,
    cast(sum(engagements) as bigint) as engagements
from days
where day >= $from_day and day <= $to_day
group by day
