{% macro last_days(days, zones, touched, published, key, gained=[]) -%}
    {#- Each entity's time zone and first day; with counters (`gained`, as in the daily mart), also its last
        day and what was gained on it. -#}
    with

    zones as (
        select * from {{ zones }}
    ),

    earlier as (
        {{ earlier_days(published, touched, key) }}
    ),

    computed as (
        {{ scoped(days, touched, key, at="day") }}
    ),

    fresh as (
        select
            {{ key }},
            {%- for counted in gained %}
            arg_max(new_{{ counted }}, day) as last_new_{{ counted }},
            {%- endfor %}
            min(day) as first_day,
            max(day) as last_day
        from computed
        group by {{ key }}
    )

    select
        {{ key }},
        zones.analytics_tz,
        {%- for counted in gained %}
        if(fresh.last_day is null, earlier.last_new_{{ counted }}, fresh.last_new_{{ counted }})
            as last_new_{{ counted }},
        {%- endfor %}
        {%- if gained %}
        coalesce(fresh.last_day, earlier.last_day) as last_day,
        {%- endif %}
        least(earlier.first_day, fresh.first_day) as first_day
    from earlier
    full join fresh using ({{ key }})
    inner join zones using ({{ key }})
{%- endmacro %}


{% macro earlier_days(published, touched, key) -%}
    {#- What the last published run knew of entities, except those whose days are all recomputed. -#}
    select earlier.*
    from ({{ past(published) }}) as earlier
    anti join {{ touched }} as touched
        on earlier.{{ key }} = touched.{{ key }} and touched.from_day = '-infinity'
{%- endmacro %}
