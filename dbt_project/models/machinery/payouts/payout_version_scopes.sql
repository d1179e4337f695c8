select
    versions.version_id,
    versions.organization_id,
    structures.project_id,
    versions.structure_id,
    versions.platform,
    versions.account_id
from {{ ref('stg_payout_versions') }} as versions
inner join {{ ref('stg_payout_structures') }} as structures using (structure_id)
