with

copied as (
    select * from {{ source('operational', 'tag_items') }}
)

select
    tag_id,
    item_id,
    organization_id,
    created_at as tagged_at
from copied
