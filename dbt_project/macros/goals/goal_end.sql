{% macro goal_end(to_come) -%}
    {#- The expected value of a goal at its period's end, given what is expected from the current day on: the
        value so far plus what is still to come, never less than nothing. -#}
    running.actual
    + if({{ to_come }} is null, null, cast(greatest({{ to_come }} - to_come.since_cut, 0) as bigint))
{%- endmacro %}
