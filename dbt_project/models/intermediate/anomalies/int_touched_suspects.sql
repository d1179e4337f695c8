with

touched as (
    select * from {{ ref('int_touched_videos') }}
    where from_at is not null
)

select
    video_id,
    {{ local_day("from_at - interval 2 days", 0) }} as from_day,
    from_at - interval 3 days - 2 * {{ same_as_before() }} as readings_from
from touched
