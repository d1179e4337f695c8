-- The reading behind each count of `shown`: the first that showed as much, which showed more where the count
-- itself was never read.

with

readings as (
    select
        shown.video_id,
        shown.view_count,
        min(deltas.captured_at) as captured_at,
        arg_min(deltas.view_count, deltas.captured_at) as views_read,
        arg_min(deltas.source, deltas.captured_at) as source,
        arg_min(deltas.is_exact, deltas.captured_at) as is_exact
    from shown
    inner join marts.video_deltas as deltas
        on shown.video_id = deltas.video_id and shown.view_count <= deltas.view_count
    where deltas.captured_at >= $from_at and deltas.captured_at <= $to_at
    group by shown.video_id, shown.view_count
)

select
    cast(video_id as varchar) as video_id,
    view_count,
    strftime(timezone('UTC', captured_at), '%Y-%m-%dT%H:%M:%S.%fZ') as captured_at,
    source,
    is_exact
from readings
where views_read = view_count
