with

merged as (
    select * from {{ ref('int_account_readings') }}
),

counted as (
    {{ counts_and_changes("merged", "account_id", account_counters()) }}
)

select
    account_id,
    captured_at,
    is_exact,
    source
    {%- for counter in account_counters() %},
    {{ counter }}_count,
    {{ counter }}_delta
    {%- endfor %}
from counted
order by captured_at
