{% macro day_starts(days) -%}
    {#- The first instant of local days (money.md M2): `days` has zone and day. A day that a zone skips begins
        when the next one does. -#}
    select
        days.zone,
        days.day,
        min(
            greatest(
                offsets.starts_at,
                make_timestamptz(epoch_us(days.day) - cast(offsets.utc_offset_seconds as bigint) * 1000000)
            )
        ) as starts_at
    from {{ days }} as days
    inner join {{ ref('int_utc_offsets') }} as offsets
        on
            days.zone = offsets.zone
            and make_timestamptz(epoch_us(days.day) - cast(offsets.utc_offset_seconds as bigint) * 1000000)
            < offsets.ends_at
    group by days.zone, days.day
{%- endmacro %}
