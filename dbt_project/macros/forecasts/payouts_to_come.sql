{% macro payouts_to_come(cents, ratio=1) -%}
    {#- A share of the amount still to come for periods with an expected total, plus fixed fees; null without
        the share. -#}
    cast(fixed_to_come + {{ forecast_end("greatest(" ~ cents ~ " - so_far, 0)", ratio) }} as bigint)
{%- endmacro %}
