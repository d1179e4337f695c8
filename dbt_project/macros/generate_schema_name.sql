{% macro generate_schema_name(custom_schema_name, node) -%}
    {#- Schemas use their name in the project, without the target's prefix. -#}
    {{ custom_schema_name or target.schema }}
{%- endmacro %}
