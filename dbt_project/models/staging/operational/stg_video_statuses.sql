with

copied as (
    select * from {{ source('operational', 'video_statuses') }}
)

select
    video_id,
    tracking_status in ('auto_tracked', 'included', 'direct_add') as is_counted,
    valid_from
from copied
qualify row_number() over (partition by video_id, valid_from order by id desc) = 1
