with

snapshots as (
    select * from {{ ref('account_snapshots') }}
)

select
    account_id,
    min(captured_at) as first_captured_at,
    max(captured_at) as last_captured_at
    {%- for counter in account_counters() %},
    arg_max({{ counter }}_count, captured_at) as {{ counter }}_count
    {%- endfor %}
from snapshots
group by account_id
