{% macro as_accrual(earnings, computed_at) -%}
    {#- The columns of an accrual that was just computed, with its evidence. -#}
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
