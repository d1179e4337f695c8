{% macro touched_by_readings(facts, zones, last_readings, last_days, key) -%}
    {#- The entities whose readings this run recomputes: from which instant (from_at, the first new reading),
        from which local day (from_day), and from when on readings can belong to those days (readings_from).
        An entity whose zone changed has all its days recomputed. Empty in a full refresh. -#}
    with

    newly_known as (
        {{ new_facts(facts, "captured_at") }}
    ),

    zones as (
        select * from {{ zones }}
    ),

    offsets as (
        select * from {{ ref('int_utc_offsets') }}
    ),

    published as (
        select
            {{ key }},
            last_readings.first_captured_at,
            last_days.analytics_tz
        from {{ last_readings }} as last_readings
        left join {{ last_days }} as last_days using ({{ key }})
    ),

    first_new as (
        select
            {{ key }},
            min(captured_at) as from_at
        from newly_known
        group by {{ key }}
    ),

    by_readings as (
        select
            first_new.{{ key }},
            first_new.from_at,
            {{ local_day("first_new.from_at", "offsets.utc_offset_seconds") }} as from_day,
            first_new.from_at - interval 2 days as readings_from
        from first_new
        left join zones using ({{ key }})
        left join offsets
            on
                zones.analytics_tz = offsets.zone
                and first_new.from_at >= offsets.starts_at
                and first_new.from_at < offsets.ends_at
    ),

    by_zone as (
        select
            published.{{ key }},
            cast(null as timestamptz) as from_at,
            date '-infinity' as from_day,
            published.first_captured_at as readings_from
        from published
        left join zones using ({{ key }})
        where published.analytics_tz is distinct from zones.analytics_tz
    ),

    touched as (
        {{ touched_by(["by_readings", "by_zone"]) }}
    )

    select
        {{ key }},
        min(from_at) as from_at,
        min(from_day) as from_day,
        min(readings_from) as readings_from
    from touched
    group by {{ key }}
{%- endmacro %}
