{% macro local_day(instant, utc_offset_seconds) -%}
    {#- The local date at an instant, `utc_offset_seconds` ahead of UTC. Integer arithmetic: timezone(column,
        instant) is a hundred times slower on facts. -#}
    cast(make_timestamp(epoch_us({{ instant }}) + cast({{ utc_offset_seconds }} as bigint) * 1000000) as date)
{%- endmacro %}
