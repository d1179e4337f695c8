{# Milestones are 1 and 5 times each power of ten from a thousand on: step 1 is 1,000, step 2 is
   5,000, step 3 is 10,000, ... step 32 is 5 times 10 to the 18th, the last one a bigint holds. #}

{% macro milestone_step(total) -%}
    {#- The highest step that a total has come to, 0 below the first. Counts digits: a logarithm
        would round. -#}
    if(
        {{ total }} < 1000,
        0,
        2 * length(cast({{ total }} as varchar)) - if(left(cast({{ total }} as varchar), 1) >= '5', 6, 7)
    )
{%- endmacro %}


{% macro milestone_threshold(step) -%}
    {#- The round number of a step. -#}
    cast(
        rpad(if({{ step }} % 2 = 0, '5', '1'), cast(4 + ({{ step }} - 1) // 2 as integer), '0') as bigint
    )
{%- endmacro %}
