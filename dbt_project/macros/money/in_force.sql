{# The version of a structure that a period uses (money.md M4): the last one created before its end, the first
   one for periods that ended earlier. `versions` is int_payout_versions; use this as the join condition. #}

{% macro in_force_at_end(versions, periods) -%}
    {{ versions }}.structure_id = {{ periods }}.structure_id
    and (
        ({{ periods }}.ends_at > {{ versions }}.created_at and {{ periods }}.ends_at <= {{ versions }}.replaced_at)
        or {{ periods }}.ends_at <= {{ versions }}.first_until
    )
{%- endmacro %}
