-- Posts whose last readings before the end of an accrual's period did not show views.

with

unread as materialized (
    select
        read_on.accrual_id,
        read_on.video_id,
        read_on.ends_at,
        read_on.begins_at,
        read_on.lifetime_ends_at,
        max(deltas.captured_at) as read_at
    from marts.video_deltas as deltas
    inner join read_on
        on deltas.video_id = read_on.video_id and deltas.captured_at < read_on.ends_at
    where
        deltas.view_count is null
        and deltas.captured_at >= $from_at
        and deltas.captured_at < $until_at
    group by all
),

last_readings as (
    select
        unread.*,
        max(deltas.captured_at) as views_as_of
    from marts.video_deltas as deltas
    inner join unread
        on deltas.video_id = unread.video_id and deltas.captured_at < unread.ends_at
    where
        deltas.view_count is not null
        and deltas.captured_at >= $from_at
        and deltas.captured_at < $until_at
    group by all
)

select
    accrual_id,
    cast(video_id as varchar) as video_id,
    views_as_of
from last_readings
where
    views_as_of < read_at
    and (lifetime_ends_at is null or lifetime_ends_at > greatest(views_as_of, begins_at))
order by views_as_of, video_id
