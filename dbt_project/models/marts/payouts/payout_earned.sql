{{ config(
    materialized="continued",
    meta={"key": "payee_id", "replaces": "periods", "touched": "int_touched_payees"}
) }}

{%- set touched = ref('int_touched_payees') %}
{%- set full = computes_everything() %}
{%- set columns %}
        payee_id,
        organization_id,
        project_id,
        structure_id,
        version_id,
        version_number,
        creator_id,
        criteria_type,
        period_start,
        period_end,
        ends_at,
        subject_id,
        view_count,
        currency,
        amount_cents,
        precise_amount,
        limited_by,
        timezone
{%- endset %}

with

earned as (
    select
        {{- columns }},
        evidence,
        cpm_evidence
    from {{ ref('int_payout_cpm') }}
    {%- for model in [
        "int_payout_view_thresholds", "int_payout_recurring", "int_payout_goals", "int_payout_conversions"
    ] %}
    union all by name
    select
        {{- columns }},
        evidence
    from {{ ref(model) }}
    {%- endfor %}
)

select
    {{ accrual_id("earned") }} as accrual_id,
    earned.*
from earned
{% if not full %}
inner join {{ touched }} as touched
    on earned.payee_id = touched.payee_id and earned.period_end >= touched.from_day
where earned.period_end >= {{ least_of(touched, "from_day", "date") }}
{% endif %}
order by earned.period_end
