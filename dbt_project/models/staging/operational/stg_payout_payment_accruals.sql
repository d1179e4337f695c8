with

copied as (
    select * from {{ source('operational', 'payout_payment_accruals') }}
)

select
    {%- for column in accrual_columns() %}
        {{ column }},
    {%- endfor %}
    payment_id,
    is_live,
    frozen_at,
    released_at,
    copied_in
from copied
