with

copied as (
    select * from {{ source('operational', 'account_deactivations') }}
)

select
    account_id,
    deactivated_at,
    reactivated_at
from copied
