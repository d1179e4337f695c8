{% macro goal_end(to_come) -%}
    {#- What a goal comes to by its period's end, where so much was to come from the day under way on: what
        was done by now, and what of that is still to come, which is never less than nothing. -#}
    running.actual
    + if({{ to_come }} is null, null, cast(greatest({{ to_come }} - to_come.since_cut, 0) as bigint))
{%- endmacro %}
