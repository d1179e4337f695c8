{% macro counts_and_changes(merged, key, counters) -%}
    {#- The count that analytics uses at each reading, and its change since the last reading with that
        counter; the first known count counts from zero. For a rounded count, that is the larger of its lower
        bound and the last exact count before it (counting.md). The count last used before a reading
        (*_before) is likewise the larger of the last lower bound and the last exact count, so one window
        serves both. Expects the output of merged_at_instant. -#}
    select
        {{ key }},
        captured_at,
        is_exact,
        source
        {%- for counter in counters %},
        {{ counter }}_exact,
        lag({{ counter }}_exact ignore nulls) over earlier as {{ counter }}_last_exact,
        greatest(
            lag({{ counter }}_at_least ignore nulls) over earlier, {{ counter }}_last_exact
        ) as {{ counter }}_before,
        case
            when {{ counter }}_exact is not null then {{ counter }}_exact
            when {{ counter }}_at_least is not null then greatest({{ counter }}_at_least, {{ counter }}_last_exact)
        end as {{ counter }}_count,
        {{ counter }}_count - coalesce({{ counter }}_before, 0) as {{ counter }}_delta
        {%- endfor %},
        row_number() over earlier = 1 as is_first
    from {{ merged }}
    window earlier as (partition by {{ key }} order by captured_at)
{%- endmacro %}


{% macro counted_readings(facts, touched, published, key, counters) -%}
    {#- The readings that this run computes, with counts and changes: the new ones, and for an entity with a
        late reading all from the first new one on, because its exact count may exceed later rounded ones. If
        all new readings came after the last published one, the published counts are the past; with late ones,
        the whole history is reread, the new ones twice, which is harmless: readings of one instant are
        merged. -#}
    {%- set last_published %}
        select
            {{ key }},
            last_captured_at as captured_at
            {%- for counter in counters %},
            {{ counter }}_exact,
            {{ counter }}_count as {{ counter }}_at_least
            {%- endfor %}
        from published
        anti join late using ({{ key }})
    {%- endset -%}
    with

    published as (
        select * from {{ published }}
        semi join {{ touched }} using ({{ key }})
    ),

    late as (
        select {{ key }}
        from {{ touched }} as touched
        inner join published using ({{ key }})
        where touched.from_at <= published.last_captured_at
    ),

    history_of_late as materialized (
        select history.*
        from {{ facts }} as history
        semi join late using ({{ key }})
    ),

    newly_known as not materialized (
        {{ new_facts(facts, "captured_at") }}
    ),

    readings as not materialized (
        select * from newly_known
        {{ opening("select * from history_of_late") }}
    ),

    {{ merged_at_instant("readings", key, counters) }},

    spine as (
        select * from merged
        {{ opening(last_published) }}
    ),

    counted as (
        {{ counts_and_changes("spine", key, counters) }}
    )

    {{ scoped("counted", touched, key, at="captured_at", since="from_at") }}
{%- endmacro %}
