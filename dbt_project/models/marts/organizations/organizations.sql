select
    organization_id,
    name,
    analytics_tz
from {{ ref('stg_organizations') }}
