{% macro quarter_hours_of_members(entity, entities, videos, touched) -%}
    {#- What videos of creators or campaigns gained in each quarter of an hour with a reading. These few rows
        can be summed to days of almost any zone. An incremental run computes them from a UTC midnight at or
        before the first touched day in any zone. -#}
    with

    members as (
        {{ scoped(videos, touched, entity, tells=true) }}
    ),

    gained as (
        select
            members.{{ entity }},
            epoch_us(deltas.captured_at) // 900000000 as quarter
            {%- for counter, counted in video_counters().items() %},
            cast(sum(deltas.{{ counter }}_delta) as bigint) as new_{{ counted }}
            {%- endfor %}
        from {{ ref('video_deltas') }} as deltas
        inner join members
            on
                deltas.video_id = members.video_id
                and deltas.captured_at >= {{ quarters_from("members.touched_from") }}
        where deltas.captured_at >= {{ quarters_from(least_of(touched, "from_day", "date")) }}
        group by members.{{ entity }}, quarter
    )

    select
        entities.organization_id,
        gained.{{ entity }},
        to_timestamp(gained.quarter * 900) as quarter_at
        {%- for counted in video_counters().values() %},
        gained.new_{{ counted }}
        {%- endfor %}
    from gained
    inner join {{ entities }} as entities using ({{ entity }})
    order by quarter_at
{%- endmacro %}


{% macro quarters_from(day) -%}
    {#- A UTC midnight before the day begins in any zone. -#}
    cast({{ day }} - 1 as timestamptz)
{%- endmacro %}
