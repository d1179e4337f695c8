{{ config(materialized="view") }}

select
    creator_id,
    video_id,
    appeared_on,
    first_day
from {{ ref('int_counted_videos') }}
where creator_id is not null
