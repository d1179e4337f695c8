select
    organization_id,
    name,
    analytics_tz,
    payout_settling_days
from {{ ref('stg_organizations') }}
