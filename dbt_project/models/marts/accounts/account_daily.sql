{{ config(
    materialized="incremental",
    meta={"key": "account_id", "replaces": "days", "touched": "int_touched_accounts"}
) }}

{%- set touched = ref('int_touched_accounts') %}

with

{{ days_of_readings(
    readings=ref('account_snapshots'),
    key='account_id',
    zones=ref('int_account_zones'),
    touched=touched,
    counters=account_counters(),
    before=account_days_before(touched),
) }}

select
    account_id,
    day,
    {%- for counter in account_counters() %}
        {{ counter }}_total as {{ counter }}_count,
    {%- endfor %}
    follower_gained as new_followers,
    readings
from summed
order by day
