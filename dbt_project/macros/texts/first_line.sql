{% macro first_line(text) -%}
    {#- What a text gives for a title: its first line that says something, without blanks around it,
        at most 100 characters (as the API shows it); null where it says nothing. -#}
    {%- set blank = '\\s\\v\\x{1c}-\\x{1f}\\x{85}\\p{Z}' -%}
    {%- set line_end = '\\n\\v\\f\\r\\x{1c}-\\x{1e}\\x{85}\\x{2028}\\x{2029}' -%}
    nullif(left(regexp_extract({{ text }}, '^[{{ blank }}]*([^{{ line_end }}]*[^{{ blank }}])', 1), 100), '')
{%- endmacro %}
