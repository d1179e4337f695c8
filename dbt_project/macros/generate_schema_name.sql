{% macro generate_schema_name(custom_schema_name, node) -%}
    {#- Schemas are named as the project names them, without the target's prefix. -#}
    {{ custom_schema_name or target.schema }}
{%- endmacro %}
