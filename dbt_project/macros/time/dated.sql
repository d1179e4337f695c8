{% macro dated(facts, key, zones, readings_from) -%}
    {#- The CTE `dated`: the facts with the local day at which each was captured, in the zone that
        its organization has now. A hash join with the few UTC offsets in force since
        `readings_from` (a timestamptz expression) and integer arithmetic. -#}
    offsets as (
        select
            zones.{{ key }},
            offsets.starts_at,
            offsets.ends_at,
            offsets.utc_offset_seconds
        from {{ zones }} as zones
        inner join {{ ref('int_utc_offsets') }} as offsets on zones.analytics_tz = offsets.zone
        where offsets.ends_at > {{ readings_from }} and offsets.starts_at <= {{ as_of() }}
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
    )
{%- endmacro %}
