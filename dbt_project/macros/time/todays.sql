{# The current day of each zone at the instant `at`. #}
{% macro todays(at) -%}
    select
        zone,
        {{ local_day(at, "utc_offset_seconds") }} as today
    from {{ ref('int_utc_offsets') }}
    where {{ at }} >= starts_at and {{ at }} < ends_at
{%- endmacro %}
