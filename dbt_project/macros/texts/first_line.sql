{% macro first_line(text) -%}
    {#- A text's title: its first line that is not blank, without surrounding blanks, at most 100 characters
        (as the API shows it); null if all are blank. -#}
    {%- set blank = '\\s\\v\\x{1c}-\\x{1f}\\x{85}\\p{Z}' -%}
    {%- set line_end = '\\n\\v\\f\\r\\x{1c}-\\x{1e}\\x{85}\\x{2028}\\x{2029}' -%}
    nullif(left(regexp_extract({{ text }}, '^[{{ blank }}]*([^{{ line_end }}]*[^{{ blank }}])', 1), 100), '')
{%- endmacro %}
