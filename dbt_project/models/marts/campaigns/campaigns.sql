select
    campaign_id,
    organization_id,
    project_id,
    name,
    created_at
from {{ ref('stg_campaigns') }}
