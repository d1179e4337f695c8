with

copied as (
    select * from {{ source('operational', 'video_owners') }}
)

select
    video_id,
    account_id,
    creator_id,
    valid_from
from copied
