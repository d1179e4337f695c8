{% macro half_up(numerator, denominator) -%}
    {#- The quotient of two integers, with a positive denominator, rounded half away from zero (money.md M1).
        Uses integers only: `/` would give an inexact DOUBLE. -#}
    sign({{ numerator }}) * (
        (abs(cast({{ numerator }} as hugeint)) * 2 + {{ denominator }}) // (cast({{ denominator }} as hugeint) * 2)
    )
{%- endmacro %}
