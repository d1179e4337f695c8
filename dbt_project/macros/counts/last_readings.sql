{% macro last_readings(mart, facts, changes, published, key, counters) -%}
    {#- For each entity its first and last reading, and of each counter the count last used (*_count), when
        it was read (*_captured_at: older than the last reading where that did not show it) and the
        last exact count (*_exact): the past that the next run continues from. A full refresh takes
        them from the mart, in which a row that is exact has no other counts than exact ones; other
        runs mend the published ones. -#}
    with

    {% if computes_everything() -%}
    rounded as (
        select distinct {{ key }}
        from {{ mart }}
        where not is_exact
    ),

    last_exact as (
        select
            {{ key }}
            {%- for counter in counters %},
            {{ last_and_largest(counter ~ "_count", "captured_at", "is_exact") }} as {{ counter }}_exact
            {%- endfor %}
        from {{ facts }}
        semi join rounded using ({{ key }})
        group by {{ key }}
    ),

    last_used as (
        select
            {{ key }},
            min(captured_at) as first_captured_at,
            max(captured_at) as last_captured_at
            {%- for counter in counters %},
            arg_max({{ counter }}_count, captured_at) as {{ counter }}_count,
            {{ last_known_at(counter) }} as {{ counter }}_captured_at
            {%- endfor %}
        from {{ mart }}
        group by {{ key }}
    )

    select
        last_used.*
        {%- for counter in counters %},
        if(
            rounded.{{ key }} is null, last_used.{{ counter }}_count, last_exact.{{ counter }}_exact
        ) as {{ counter }}_exact
        {%- endfor %}
    from last_used
    left join rounded using ({{ key }})
    left join last_exact using ({{ key }})
    {%- else -%}
    fresh as (
        select
            {{ key }},
            bool_or(is_late) as is_late,
            min(captured_at) as first_captured_at,
            max(captured_at) as last_captured_at
            {%- for counter in counters %},
            arg_max({{ counter }}_count, captured_at) as {{ counter }}_count,
            {{ last_known_at(counter) }} as {{ counter }}_captured_at,
            arg_max({{ counter }}_exact, captured_at) as {{ counter }}_exact
            {%- endfor %}
        from {{ changes }}
        group by {{ key }}
    ),

    late as (
        select {{ key }}
        from fresh
        where is_late
    ),

    kept as (
        select * from {{ published }}
        anti join late using ({{ key }})
    )

    select
        {{ key }},
        coalesce(kept.first_captured_at, fresh.first_captured_at) as first_captured_at,
        coalesce(fresh.last_captured_at, kept.last_captured_at) as last_captured_at
        {%- for counter in counters %},
        coalesce(fresh.{{ counter }}_count, kept.{{ counter }}_count) as {{ counter }}_count,
        coalesce(fresh.{{ counter }}_captured_at, kept.{{ counter }}_captured_at) as {{ counter }}_captured_at,
        coalesce(fresh.{{ counter }}_exact, kept.{{ counter }}_exact) as {{ counter }}_exact
        {%- endfor %}
    from kept
    full join fresh using ({{ key }})
    {%- endif %}
{%- endmacro %}


{% macro last_known_at(counter) -%}
    {#- When the counter was last shown: an aggregate of readings. -#}
    max(captured_at) filter (where {{ counter }}_count is not null)
{%- endmacro %}


{% macro last_and_largest(count, instant, condition) -%}
    {#- The known count at the last instant for which the condition holds, the largest where there
        are several: an aggregate. One number holds instant and count, because arg_max with a row
        for its key keeps a copy of every key that was ever the largest, and readings come in the
        order of time. -#}
    cast(
        max(cast(epoch_us({{ instant }}) as hugeint) * 9223372036854775808 + {{ count }})
        filter (where {{ condition }}) % 9223372036854775808 as bigint
    )
{%- endmacro %}
