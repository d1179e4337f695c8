{% macro as_millionths(whole) -%}
    {#- An integer of millionths as the decimal that it is; a hundred thousand millions at most, up or down. -#}
    cast(
        cast({{ bounded_forecast(whole, 100000000000000000) }} as decimal(18, 0)) * 0.000001 as decimal(18, 6)
    )
{%- endmacro %}
