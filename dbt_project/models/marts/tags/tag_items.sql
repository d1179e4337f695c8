select
    items.tag_id,
    items.item_id,
    tags.entity_type,
    tags.name as tag_name,
    items.organization_id,
    items.tagged_at
from {{ ref('stg_tag_items') }} as items
inner join {{ ref('stg_tags') }} as tags using (tag_id)
