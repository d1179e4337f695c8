select
    tag_id,
    organization_id,
    entity_type,
    name,
    color,
    created_at
from {{ ref('stg_tags') }}
