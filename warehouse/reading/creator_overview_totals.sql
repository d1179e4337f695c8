with

latest as (
    select
        followers,
        cumulative_views,
        cumulative_likes,
        cumulative_comments,
        cumulative_shares,
        cumulative_videos
    from marts.creator_daily
    where organization_id = $organization_id and creator_id = $creator_id
    order by day desc
    limit 1
),

readings as (
    select last_captured_at
    from marts.videos
    where organization_id = $organization_id and creator_id = $creator_id and is_counted
    union all
    select last_captured_at
    from marts.accounts
    where organization_id = $organization_id and creator_id = $creator_id and is_active
)

select
    latest.*,
    (select max(last_captured_at) from readings) as last_read_at
from latest
