{# Milestones are 1 and 5 times each power of ten from a thousand on: number 1 is 1,000, number 2 is 5,000,
   number 3 is 10,000, ... number 32 is 5 times 10 to the 18th, the last that fits a bigint. #}

{% macro milestone_number(total) -%}
    {#- The number of the highest milestone that a total has reached, 0 below the first. Counts digits: a logarithm
        would round. -#}
    if(
        {{ total }} < 1000,
        0,
        2 * length(cast({{ total }} as varchar)) - if(left(cast({{ total }} as varchar), 1) >= '5', 6, 7)
    )
{%- endmacro %}


{% macro milestone_threshold(number) -%}
    {#- The total at which a milestone is reached, by its number. -#}
    cast(
        rpad(if({{ number }} % 2 = 0, '5', '1'), cast(4 + ({{ number }} - 1) // 2 as integer), '0') as bigint
    )
{%- endmacro %}
