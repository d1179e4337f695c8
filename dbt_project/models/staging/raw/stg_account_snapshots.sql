with

observed as (
    select * from {{ source('raw', 'account_snapshots') }}
)

select
    account_id,
    captured_at,
    {%- for counter in account_counters() %}
        {{ counter }}_count,
    {%- endfor %}
    is_exact,
    source,
    batch_seq
from observed
where {{ known_to_this_run('captured_at') }}
