select
    project_id,
    organization_id,
    name,
    is_archived,
    created_at
from {{ ref('stg_projects') }}
