{% macro as_millionths(whole) -%}
    {#- An integer of millionths as the decimal that it is. -#}
    cast(cast({{ whole }} as decimal(18, 0)) * 0.000001 as decimal(18, 6))
{%- endmacro %}
