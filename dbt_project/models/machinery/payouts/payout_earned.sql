{{ config(
    materialized="continued",
    meta={"key": "payee_id", "replaces": "periods", "touched": "int_touched_payees"}
) }}

{%- set touched = ref('int_touched_payees') %}

with

holding as (
    select version_id
    from {{ ref('stg_payout_versions') }}
    where hold_anomalies
),

-- What a rule does not define is null.

earned as (
    select * from {{ ref('int_payout_cpm') }}
    {%- for model in [
        "int_payout_view_thresholds", "int_payout_recurring", "int_payout_goals", "int_payout_conversions"
    ] %}
    union all by name
    select * from {{ ref(model) }}
    {%- endfor %}
)

select
    {{ accrual_id("computed") }} as accrual_id,
    computed.*, -- noqa: AM04
    computed.criteria_type in ('cpm', 'goals', 'view_threshold') and holding.version_id is not null
        as is_checked
from ({{ scoped("earned", touched, "payee_id", at="period_end") }}) as computed
left join holding on computed.version_id = holding.version_id
order by computed.period_end
