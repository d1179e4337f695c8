with

copied as (
    select * from {{ source('operational', 'campaigns') }}
)

select
    id as campaign_id,
    organization_id,
    project_id,
    name,
    created_at
from copied
