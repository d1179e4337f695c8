-- Posts of an organization and counts of theirs that evidence shows: one JSON text.

select
    counts.video_id,
    counts.counter,
    counts.target_count,
    videos.first_captured_at,
    videos.last_captured_at
from (
    select unnest(
        from_json($counts, '[{"video_id": "UUID", "counter": "VARCHAR", "target_count": "BIGINT"}]'),
        max_depth := 2
    )
) as counts
inner join marts.videos as videos using (video_id)
where videos.organization_id = $organization_id
