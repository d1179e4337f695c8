with

copied as (
    select * from {{ source('operational', 'payout_assignments') }}
)

select
    id as assignment_id,
    organization_id,
    structure_id,
    creator_id,
    start_date,
    end_date
from copied
