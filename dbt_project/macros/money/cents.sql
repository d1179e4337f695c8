{# Exact amounts of money (money.md M1): rounded half up to nine decimals of a cent, then once to whole cents.
   #}

{% macro precise_cents(billionths) -%}
    {#- A whole number of billionths of a cent as decimal(38, 9) cents. -#}
    cast({{ billionths }} as decimal(38, 0)) * 0.000000001
{%- endmacro %}


{% macro whole_cents(precise) -%}
    {#- A precise amount in whole cents; round() of a DECIMAL is exact and rounds half away from zero. -#}
    cast(round({{ precise }}) as bigint)
{%- endmacro %}


{% macro millionths(text, default) -%}
    {#- A rate, given as text with at most six decimals, in whole millionths. -#}
    cast(coalesce(cast({{ text }} as decimal(18, 6)), {{ default }}) * 1000000 as bigint)
{%- endmacro %}


{% macro decimal_text(scaled, decimals) -%}
    {#- An integer with `decimals` implied decimals, as text; null stays null. -#}
    cast(cast({{ scaled }} as decimal(38, 0)) * 0.{{ "0" * (decimals - 1) }}1 as varchar)
{%- endmacro %}
