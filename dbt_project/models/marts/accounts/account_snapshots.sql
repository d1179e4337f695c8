{{ config(
    materialized="continued",
    meta={"key": "account_id", "replaces": "instants"}
) }}

{%- set facts = ref('stg_account_snapshots') %}
{%- set changes = ref('int_account_changes') %}

with

{% if computes_everything() -%}
{{ merged_at_instant(facts, "account_id", account_counters()) }},

computed as (
    {{ counts_and_changes("merged", "account_id", account_counters()) }}
)
{%- else -%}
computed as (
    select * from {{ changes }}
    where is_affected
)
{%- endif %}

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
