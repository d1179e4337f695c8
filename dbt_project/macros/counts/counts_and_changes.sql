{% macro counts_and_changes(merged, key, counters) -%}
    {#- The count that analytics uses at each reading, and its change since the last reading at
        which that counter was known; the first known count counts from zero. A rounded count is
        the larger of its lower bound and the last exact count before it (decisions.md,
        Analytics). The last count used before a reading is, in the same way, the larger of the
        last count's lower bound and the last exact count, so that one window serves both.
        Expects key, captured_at, is_exact, source, *_exact and *_rounded. -#}
    select
        {{ key }},
        captured_at,
        is_exact,
        source
        {%- for counter in counters %},
        coalesce({{ counter }}_exact, {{ lower_bound(counter ~ "_rounded") }}) as {{ counter }}_at_least,
        last_value({{ counter }}_exact ignore nulls) over earlier as {{ counter }}_last_exact,
        last_value({{ counter }}_at_least ignore nulls) over earlier as {{ counter }}_last_at_least,
        greatest({{ counter }}_last_at_least, {{ counter }}_last_exact) as {{ counter }}_before,
        case
            when {{ counter }}_exact is not null then {{ counter }}_exact
            when {{ counter }}_rounded is not null then greatest({{ counter }}_at_least, {{ counter }}_last_exact)
        end as {{ counter }}_count,
        {{ counter }}_count - coalesce({{ counter }}_before, 0) as {{ counter }}_delta
        {%- endfor %},
        row_number() over earlier = 1 as is_first
    from {{ merged }}
    window earlier as (
        partition by {{ key }} order by captured_at
        rows between unbounded preceding and 1 preceding
    )
{%- endmacro %}
