with

copied as (
    select * from {{ source('operational', 'payout_pauses') }}
)

select
    id as pause_id,
    organization_id,
    creator_id,
    paused_at,
    restarted_at
from copied
