{{ config(
    materialized="continued",
    meta={"key": "payee_id", "replaces": "periods", "touched": "int_touched_payees"}
) }}

{%- set touched = ref('int_touched_payees') %}
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

holding as (
    select version_id
    from {{ ref('stg_payout_versions') }}
    where hold_anomalies
),

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
        {% if model == "int_payout_goals" %}goal_counts,
        {% endif %}evidence
    from {{ ref(model) }}
    {%- endfor %}
)

select
    {{ accrual_id("computed") }} as accrual_id,
    computed.*,
    computed.criteria_type in ('cpm', 'goals', 'view_threshold') and holding.version_id is not null
        as is_checked
from ({{ scoped("earned", touched, "payee_id", at="period_end") }}) as computed
left join holding on computed.version_id = holding.version_id
order by computed.period_end
