{% macro as_millionths(whole) -%}
    {#- An integer number of millionths as a decimal, limited to a hundred thousand millions, up or down. -#}
    cast(
        cast({{ bounded_forecast(whole, 100000000000000000) }} as decimal(18, 0)) * 0.000001 as decimal(18, 6)
    )
{%- endmacro %}
