with

copied as (
    select * from {{ source('operational', 'payout_accrual_decisions') }}
)

select
    {%- for column in accrual_columns() %}
        {{ column }},
    {%- endfor %}
    decision,
    note,
    decided_at,
    copied_in
from copied
