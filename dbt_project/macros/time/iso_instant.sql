{% macro iso_instant(instant) -%}
    {#- An instant as ISO 8601 text in UTC, to the microsecond. -#}
    strftime(timezone('UTC', {{ instant }}), '%Y-%m-%dT%H:%M:%S.%fZ')
{%- endmacro %}
