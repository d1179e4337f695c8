with

copied as (
    select * from {{ source('operational', 'organization_conversion_payouts') }}
)

select
    organization_id,
    is_enabled,
    valid_from
from copied
