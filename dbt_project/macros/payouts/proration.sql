{# Shortened periods of recurring and goals rules (money.md M10). #}

{% macro paid_days(periods) -%}
    {#- How many of a period's `days` are paid: all, none, or the covered ones. -#}
    case {{ periods }}.proration_mode
        when 'prorate' then {{ periods }}.covered_days
        when 'full' then if({{ periods }}.covered_days >= 1, {{ periods }}.days, 0)
        when 'skip' then if({{ periods }}.covered_days = {{ periods }}.days, {{ periods }}.days, 0)
    end
{%- endmacro %}


{% macro prorated_cents(cents, periods) -%}
    {#- A period's fee, as a precise amount. -#}
    {{ precise_cents(half_up(
        "cast(" ~ cents ~ " as hugeint) * 1000000000 * (" ~ paid_days(periods) ~ ")", periods ~ ".days"
    )) }}
{%- endmacro %}


{% macro limits_of_days(periods) %}
    {#- What shortens a prorated period: paused days, and days without an assignment. -#}
    {%- set is_prorated = periods ~ ".proration_mode = 'prorate'" -%}
    {{ return({
        "paused": is_prorated ~ " and " ~ periods ~ ".paused_days > 0",
        "proration": is_prorated ~ " and " ~ periods ~ ".covered_days + " ~ periods ~ ".paused_days < "
            ~ periods ~ ".days",
    }) }}
{% endmacro %}
