{% macro earned_columns() %}
    {#- What accruals and earnings have in common, without the evidence. -#}
    {{ return([
        "accrual_id", "organization_id", "project_id", "structure_id", "version_id", "version_number",
        "creator_id", "criteria_type", "period_start", "period_end", "subject_id", "view_count", "currency",
        "amount_cents", "precise_amount", "limited_by", "timezone",
    ]) }}
{% endmacro %}


{% macro accrual_columns() %}
    {#- What a decision or a payment keeps of an accrual beside its evidence: PayoutAccrualCopy of
        warehouse/operational, and the id. -#}
    {{ return(earned_columns() + [
        "kind", "adjusts_accrual_id", "adjustment_number", "booked_in", "reason", "computed_at",
    ]) }}
{% endmacro %}


{% macro as_accrual(earnings, computed_at) -%}
    {#- The columns of an accrual that was just computed, and its evidence. -#}
    {%- for column in earned_columns() %}
        {{ earnings }}.{{ column }},
    {%- endfor %}
        'earning' as kind,
        cast(null as uuid) as adjusts_accrual_id,
        cast(null as integer) as adjustment_number,
        cast(null as date) as booked_in,
        cast(null as varchar) as reason,
        {{ computed_at }} as computed_at,
        {{ earned_evidence(earnings) }} as evidence
{%- endmacro %}
