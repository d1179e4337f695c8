select
    video_id,
    last_collected_at as collected_at
from marts.video_comments
where
    organization_id = $organization_id
    and last_collected_at is not null
    and video_id in (select cast(unnest(string_split($ids, ',')) as uuid))
