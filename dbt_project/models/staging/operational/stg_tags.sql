with

copied as (
    select * from {{ source('operational', 'tags') }}
)

select
    id as tag_id,
    organization_id,
    entity_type,
    name,
    color,
    created_at
from copied
