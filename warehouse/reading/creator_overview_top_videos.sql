select
    video_id,
    view_count,
    like_count,
    comment_count,
    if(view_captured_at < last_captured_at, view_captured_at, null) as views_as_of
from marts.videos
where
    organization_id = $organization_id
    and creator_id = $creator_id
    and is_counted
    and view_count is not null
order by view_count desc, video_id asc
limit $number
