-- Posts whose last readings before the end of an accrual's period did not show views.

with

readings as materialized (
    select
        deltas.video_id,
        deltas.captured_at,
        deltas.view_count
    from marts.video_deltas as deltas
    semi join posts using (video_id)
),

shown as (
    select *
    from readings
    where view_count is not null
),

last_shown as (
    select
        posts.*,
        shown.captured_at as views_as_of
    from posts
    asof join shown
        on posts.video_id = shown.video_id and posts.ends_at > shown.captured_at
),

last_read as (
    select
        last_shown.*,
        readings.captured_at as read_at
    from last_shown
    asof join readings
        on last_shown.video_id = readings.video_id and last_shown.ends_at > readings.captured_at
)

select
    accrual_id,
    cast(video_id as varchar) as video_id,
    views_as_of
from last_read
where
    views_as_of < read_at
    and (lifetime_ends_at is null or lifetime_ends_at > greatest(views_as_of, begins_at))
order by views_as_of, video_id
