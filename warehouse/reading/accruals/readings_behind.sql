-- Of posts and counts of their views, one JSON text: the reading behind each.

with

shown as (
    select unnest(
        from_json($shown, '[{"video_id": "UUID", "view_count": "BIGINT"}]'), max_depth := 2
    )
),

own as (
    select shown.*
    from shown
    inner join marts.videos as videos using (video_id)
    where videos.organization_id = $organization_id
),

-- The first that showed as much, which showed more where the count itself was never read.

readings as (
    select
        own.video_id,
        own.view_count,
        min(deltas.captured_at) as captured_at,
        arg_min(deltas.view_count, deltas.captured_at) as views_read,
        arg_min(deltas.source, deltas.captured_at) as source,
        arg_min(deltas.is_exact, deltas.captured_at) as is_exact
    from own
    inner join marts.video_deltas as deltas
        on own.video_id = deltas.video_id and own.view_count <= deltas.view_count
    group by own.video_id, own.view_count
)

select
    cast(video_id as varchar) as video_id,
    view_count,
    strftime(timezone('UTC', captured_at), '%Y-%m-%dT%H:%M:%S.%fZ') as captured_at,
    source,
    is_exact
from readings
where views_read = view_count
