with

last_versions as (
    select * from {{ ref('stg_payout_versions') }}
    qualify row_number() over (partition by structure_id order by version_number desc) = 1
)

select
    structures.structure_id,
    structures.organization_id,
    structures.project_id,
    structures.name,
    structures.is_active,
    last_versions.criteria_type,
    last_versions.period,
    last_versions.platform_scope,
    last_versions.platform,
    last_versions.account_id,
    coalesce(structures.timezone, organizations.analytics_tz) as timezone
from {{ ref('stg_payout_structures') }} as structures
inner join last_versions using (structure_id)
inner join {{ ref('stg_organizations') }} as organizations
    on structures.organization_id = organizations.organization_id
