{% macro merged_at_instant(readings, key, counters) -%}
    {#- One row for each instant: of each counter the exact count, and beside it the rounded one
        where no exact count was read. At one instant the exact reading wins, then the larger
        (decisions.md, Analytics). Expects key, captured_at, is_exact, source and *_count. -#}
    select
        {{ key }},
        captured_at,
        bool_or(is_exact)
        {%- for counter in counters %}
        and (max({{ counter }}_count) filter (is_exact) is not null or max({{ counter }}_count) is null)
        {%- endfor %} as is_exact,
        string_agg(distinct source, ',' order by source) as source
        {%- for counter in counters %},
        max({{ counter }}_count) filter (is_exact) as {{ counter }}_exact,
        if({{ counter }}_exact is null, max({{ counter }}_count), null) as {{ counter }}_rounded
        {%- endfor %}
    from {{ readings }}
    group by {{ key }}, captured_at
{%- endmacro %}
