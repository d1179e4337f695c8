{{ config(
    materialized="incremental",
    meta={"key": "account_id", "replaces": "instants", "touched": "int_touched_accounts"}
) }}

with

computed as (
    {{ counted_readings(
        facts=ref('stg_account_snapshots'),
        touched=ref('int_touched_accounts'),
        published=source('control', 'account_last_readings'),
        key='account_id',
        counters=account_counters(),
    ) }}
)

select
    account_id,
    captured_at,
    {%- for counter in account_counters() %}
        {{ counter }}_count,
        {{ counter }}_delta,
    {%- endfor %}
    is_exact,
    source
from computed
order by captured_at
