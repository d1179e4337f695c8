-- Posts of an organization and counts of theirs that evidence shows: one JSON text.

select
    shown.video_id,
    shown.counter,
    shown.shown_count,
    videos.first_captured_at,
    videos.last_captured_at
from (
    select unnest(
        from_json($shown, '[{"video_id": "UUID", "counter": "VARCHAR", "shown_count": "BIGINT"}]'),
        max_depth := 2
    )
) as shown
inner join marts.videos as videos using (video_id)
where videos.organization_id = $organization_id
