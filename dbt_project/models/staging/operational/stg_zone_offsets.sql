with

copied as (
    select * from {{ source('operational', 'zone_offsets') }}
)

select
    zone,
    starts_at,
    ends_at,
    utc_offset_seconds
from copied
