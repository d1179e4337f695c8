select
    creator_id,
    organization_id,
    project_id,
    display_name,
    is_active,
    is_deactivated,
    created_at
from {{ ref('stg_creators') }}
