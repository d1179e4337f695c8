{% macro merged_at_instant(readings, key, counters) -%}
    {#- The CTE `merged`: one row for each instant of an entity's readings, with each counter's exact count
        (*_exact) and lower bound (*_at_least). At one instant the exact reading wins, then the larger
        (counting.md). Only instants with two readings are grouped, as they are rare. -#}
    neighbours as (
        select
            {{ key }},
            captured_at,
            lead(captured_at) over (partition by {{ key }} order by captured_at) as next_captured_at
        from {{ readings }}
    ),

    repeated as (
        select distinct
            {{ key }},
            captured_at
        from neighbours
        where captured_at = next_captured_at
    ),

    alone as (
        select
            {{ key }},
            captured_at,
            is_exact,
            source
            {%- for counter in counters %},
            if(is_exact, {{ counter }}_count, null) as {{ counter }}_exact,
            if(is_exact, {{ counter }}_count, {{ lower_bound(counter ~ "_count") }}) as {{ counter }}_at_least
            {%- endfor %}
        from {{ readings }}
        anti join repeated using ({{ key }}, captured_at)
    ),

    together as (
        select
            {{ key }},
            captured_at,
            array_to_string(list_sort(list(distinct source)), ',') as source
            {%- for counter in counters %},
            max({{ counter }}_count) filter (where is_exact) as {{ counter }}_exact,
            coalesce({{ counter }}_exact, max({{ lower_bound(counter ~ "_count") }})) as {{ counter }}_at_least
            {%- endfor %},
            bool_or(is_exact)
            {%- for counter in counters %}
            and ({{ counter }}_exact is not null or {{ counter }}_at_least is null)
            {%- endfor %} as is_exact
        from {{ readings }}
        semi join repeated using ({{ key }}, captured_at)
        group by {{ key }}, captured_at
    ),

    merged as (
        select * from alone
        union all by name
        select * from together
    )
{%- endmacro %}
