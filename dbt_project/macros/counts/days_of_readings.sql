{% macro days_of_readings(readings, key, zones, touched, counters, before) -%}
    {#- The CTE `summed`: for each day that this run computes, what each counter gained on it (*_gained: the
        sum of the day's deltas, 0 if none of its readings has the counter; null while never known) and its
        last known count (*_total). `before` is a query for the starting point of the sums: each touched
        entity's *_gained up to the day before, with the day -infinity. -#}
    {{ dated(readings, key, zones, touched) }},

    gained as (
        select
            {{ key }},
            day,
            {%- for counter in counters %}
            cast(sum({{ counter }}_delta) as bigint) as {{ counter }}_gained,
            {%- endfor %}
            count(*) as readings
        from dated
        group by {{ key }}, day
    ),

    days as (
        select * from gained
        {{ opening(before) }}
    ),

    summed as (
        select
            {{ key }},
            day,
            {%- for counter in counters %}
            cast(sum({{ counter }}_gained) over until_day as bigint) as {{ counter }}_total,
            if({{ counter }}_total is null, null, coalesce({{ counter }}_gained, 0)) as {{ counter }}_gained,
            {%- endfor %}
            readings
        from days
        window until_day as (partition by {{ key }} order by day)
        qualify readings is not null
    )
{%- endmacro %}
