{% macro counts_and_changes(merged, key, counters, also=[]) -%}
    {#- The count that analytics uses at each reading, and its change since the last reading at
        which that counter was known; the first known count counts from zero. A rounded count is
        the larger of its lower bound and the last exact count before it (counting.md).
        The count used last before a reading (*_before) is, in the same way, the larger
        of the last lower bound and the last exact count, so that one window serves both.
        Expects what merged_at_instant gives; `also` are further columns of the same window. -#}
    select
        {{ key }},
        captured_at,
        is_exact,
        source
        {%- for counter in counters %},
        {{ counter }}_exact,
        last_value({{ counter }}_exact ignore nulls) over earlier as {{ counter }}_last_exact,
        greatest(
            last_value({{ counter }}_at_least ignore nulls) over earlier, {{ counter }}_last_exact
        ) as {{ counter }}_before,
        case
            when {{ counter }}_exact is not null then {{ counter }}_exact
            when {{ counter }}_at_least is not null then greatest({{ counter }}_at_least, {{ counter }}_last_exact)
        end as {{ counter }}_count,
        {{ counter }}_count - coalesce({{ counter }}_before, 0) as {{ counter }}_delta
        {%- endfor %},
        row_number() over earlier = 1 as is_first
        {%- for column in also %},
        {{ column }}
        {%- endfor %}
    from {{ merged }}
    window earlier as (
        partition by {{ key }} order by captured_at
        rows between unbounded preceding and 1 preceding
    )
{%- endmacro %}


{% macro depends_on_new(counters) -%}
    {#- Whether a reading's counts may differ because of a new reading at or before it: it is new
        itself, or all before it are (it was the first), or a new one lies at or after the last
        exact count of some counter, which cuts off everything earlier. A column for
        counts_and_changes. -#}
    coalesce(
        is_new
        or bool_and(is_new) over earlier
        or last_value(if(is_new, captured_at, null) ignore nulls) over earlier >= least(
            {%- for counter in counters %}
            if(
                {{ counter }}_before is null,
                null,
                coalesce(
                    last_value(if({{ counter }}_exact is null, null, captured_at) ignore nulls) over earlier,
                    timestamptz '-infinity'
                )
            ){{ "," if not loop.last }}
            {%- endfor %}
        ),
        false
    )
{%- endmacro %}


{% macro changes_of_touched(facts, touched, published, key, counters) -%}
    {#- The readings of touched entities, with counts and changes. Where all that is new came after
        the last published reading, the published counts are the past; where some came late, all
        history of that entity is read again. `is_affected` says which rows may differ from the
        published ones. Nothing in a full refresh, which touches nothing and computes the marts
        directly. -#}
    with

    touched as (
        select * from {{ touched }}
        where from_at is not null
    ),

    published as (
        select published.*
        from {{ published }} as published
        semi join touched using ({{ key }})
    ),

    late as (
        select {{ key }}
        from touched
        inner join published using ({{ key }})
        where touched.from_at <= published.last_captured_at
    ),

    newly_known as (
        {{ new_facts(facts, "captured_at") }}
    ),

    readings as materialized (
        select
            newly_known.*,
            true as is_new
        from newly_known
        anti join late using ({{ key }})
        union all
        select
            history.*,
            {{ is_new("history.captured_at") }} as is_new
        from {{ facts }} as history
        semi join late using ({{ key }})
    ),

    {{ merged_at_instant("readings", key, counters, flags=["is_new"]) }},

    past as (
        select
            {{ key }},
            last_captured_at as captured_at,
            false as is_new,
            true as is_past
            {%- for counter in counters %},
            {{ counter }}_exact,
            {{ counter }}_count as {{ counter }}_at_least
            {%- endfor %}
        from published
        anti join late using ({{ key }})
    ),

    spine as (
        select * from past
        union all by name
        select * from merged
    ),

    counted as (
        {{ counts_and_changes("spine", key, counters, also=[
            depends_on_new(counters) ~ " as is_affected",
            "is_past",
        ]) }}
    )

    select
        counted.{{ key }},
        counted.captured_at,
        counted.is_exact,
        counted.source
        {%- for counter in counters %},
        counted.{{ counter }}_count,
        counted.{{ counter }}_delta,
        counted.{{ counter }}_exact
        {%- endfor %},
        counted.is_first,
        counted.is_affected,
        late.{{ key }} is not null as is_late
    from counted
    left join late using ({{ key }})
    where counted.is_past is null
{%- endmacro %}
