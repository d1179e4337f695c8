{% macro local_day(instant, utc_offset_seconds) -%}
    {#- The date that clocks show at an instant, `utc_offset_seconds` ahead of UTC. Integer
        arithmetic: timezone(column, instant) on facts is a hundred times slower. -#}
    cast(make_timestamp(epoch_us({{ instant }}) + cast({{ utc_offset_seconds }} as bigint) * 1000000) as date)
{%- endmacro %}
