{% macro last_readings(mart, facts, touched, published, key, counters) -%}
    {#- For each entity its first and last reading, and for each counter the last used count (*_count), when
        it was read (*_captured_at: before the last reading if that lacked it), the last exact count
        (*_exact), and the first known count (*_first_count) with its instant (*_first_captured_at): the past
        that the next run continues from. Readings since the first new one take precedence over what was
        published. A mart row that is exact has only exact counts: the readings themselves are used only for
        other rows. Of several exact counts at the last instant the largest counts: one number holds instant
        and count, because arg_max with a row as its key keeps a copy of every key that was ever the largest,
        and readings come in time order. -#}
    with

    published as (
        {{ past(published) }}
    ),

    computed as not materialized (
        {{ scoped(mart, touched, key, at="captured_at", since="from_at") }}
    ),

    rounded as (
        select distinct {{ key }}
        from computed
        where not is_exact
    ),

    readings as not materialized (
        {{ scoped(facts, touched, key, at="captured_at", since="from_at") }}
    ),

    last_exact as (
        select
            {{ key }}
            {%- for counter in counters %},
            cast(
                max(cast(epoch_us(captured_at) as hugeint) * 9223372036854775808 + {{ counter }}_count)
                filter (where is_exact) % 9223372036854775808 as bigint
            ) as {{ counter }}_exact
            {%- endfor %}
        from readings
        inner join rounded using ({{ key }}) -- DuckDB 1.5 would hold all readings for a semi join
        group by {{ key }}
    ),

    last_used as (
        select
            {{ key }},
            min(captured_at) as first_captured_at,
            max(captured_at) as last_captured_at
            {%- for counter in counters %},
            arg_max({{ counter }}_count, captured_at) as {{ counter }}_count,
            max(captured_at) filter (where {{ counter }}_count is not null) as {{ counter }}_captured_at,
            arg_min({{ counter }}_count, captured_at) as {{ counter }}_first_count,
            min(captured_at) filter (where {{ counter }}_count is not null) as {{ counter }}_first_captured_at
            {%- endfor %}
        from computed
        group by {{ key }}
    )

    select
        {{ key }},
        least(published.first_captured_at, last_used.first_captured_at) as first_captured_at,
        greatest(published.last_captured_at, last_used.last_captured_at) as last_captured_at
        {%- for counter in counters %},
        coalesce(last_used.{{ counter }}_count, published.{{ counter }}_count) as {{ counter }}_count,
        coalesce(last_used.{{ counter }}_captured_at, published.{{ counter }}_captured_at)
            as {{ counter }}_captured_at,
        coalesce(
            if(rounded.{{ key }} is null, last_used.{{ counter }}_count, last_exact.{{ counter }}_exact),
            published.{{ counter }}_exact
        ) as {{ counter }}_exact,
        if(
            last_used.{{ counter }}_first_captured_at > published.{{ counter }}_first_captured_at,
            published.{{ counter }}_first_count,
            coalesce(last_used.{{ counter }}_first_count, published.{{ counter }}_first_count)
        ) as {{ counter }}_first_count,
        least(published.{{ counter }}_first_captured_at, last_used.{{ counter }}_first_captured_at)
            as {{ counter }}_first_captured_at
        {%- endfor %}
    from last_used
    left join rounded using ({{ key }})
    left join last_exact using ({{ key }})
    full join published using ({{ key }})
{%- endmacro %}
