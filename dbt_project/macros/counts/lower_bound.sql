{% macro lower_bound(count) -%}
    {#- The smallest number that a rounded count can stand for (money.md M7): platforms show 1,000 to 999,999
        in steps of 100, millions in steps of 100,000 and billions in steps of 100,000,000, and may round to
        the nearest. A number that is not a multiple of its step was not rounded. -#}
    case
        when {{ count }} < 1000 then {{ count }}
        when {{ count }} < 1000000 then {{ count }} - if({{ count }} % 100 = 0, 50, 0)
        when {{ count }} < 1000000000 then {{ count }} - if({{ count }} % 100000 = 0, 50000, 0)
        else {{ count }} - if({{ count }} % 100000000 = 0, 50000000, 0)
    end
{%- endmacro %}
