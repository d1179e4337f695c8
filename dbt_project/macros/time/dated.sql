{% macro dated(facts, key, zones, touched) -%}
    {#- The CTE `dated`: the facts of the days that this run computes, with the local day of each reading in
        its organization's current zone. A hash join with the few UTC offsets in force since the first of
        them, and integer arithmetic. -#}
    {%- set readings_from = least_of(touched, "readings_from", "timestamptz") -%}
    zones as (
        {{ scoped(zones, touched, key, tells=true) }}
    ),

    offsets as (
        select
            zones.{{ key }},
            zones.touched_from,
            offsets.starts_at,
            offsets.ends_at,
            offsets.utc_offset_seconds
        from zones
        inner join {{ ref('int_utc_offsets') }} as offsets on zones.analytics_tz = offsets.zone
        where
            offsets.ends_at > greatest({{ readings_from }}, {{ first_reading_at() }})
            and offsets.starts_at <= {{ as_of() }}
    ),

    dated as (
        select
            facts.*,
            {{ local_day("facts.captured_at", "offsets.utc_offset_seconds") }} as day
        from {{ facts }} as facts
        inner join offsets
            on
                facts.{{ key }} = offsets.{{ key }}
                and facts.captured_at >= offsets.starts_at
                and facts.captured_at < offsets.ends_at
        where facts.captured_at >= {{ readings_from }} and day >= offsets.touched_from
    )
{%- endmacro %}
