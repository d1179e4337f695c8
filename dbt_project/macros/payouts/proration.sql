{# Short periods of recurring and goals (money.md M10). #}

{% macro paid_days(periods) -%}
    {#- How many of a period's `days` are paid for: all or nothing, or those that are covered. -#}
    case {{ periods }}.proration_mode
        when 'prorate' then {{ periods }}.covered_days
        when 'full' then if({{ periods }}.covered_days >= 1, {{ periods }}.days, 0)
        when 'skip' then if({{ periods }}.covered_days = {{ periods }}.days, {{ periods }}.days, 0)
    end
{%- endmacro %}


{% macro prorated_cents(cents, periods) -%}
    {#- A fee of a period, as a precise amount. -#}
    {{ precise_cents(half_up(
        "cast(" ~ cents ~ " as hugeint) * 1000000000 * (" ~ paid_days(periods) ~ ")", periods ~ ".days"
    )) }}
{%- endmacro %}


{% macro limits_of_days(periods) %}
    {#- What cuts a prorated period: days on which payouts paused, and days that nothing spans. -#}
    {%- set is_prorated = periods ~ ".proration_mode = 'prorate'" -%}
    {{ return({
        "paused": is_prorated ~ " and " ~ periods ~ ".paused_days > 0",
        "proration": is_prorated ~ " and " ~ periods ~ ".covered_days + " ~ periods ~ ".paused_days < "
            ~ periods ~ ".days",
    }) }}
{% endmacro %}
