{% macro drop_other_type(target_relation) %}
    {#- Drop the existing relation if an earlier version of its model was a view and this one is a table, or
        the reverse: neither replaces the other. -#}
    {%- set there = load_cached_relation(target_relation) -%}
    {%- if there is not none and there.type != target_relation.type -%}
        {%- do adapter.drop_relation(there) -%}
    {%- endif -%}
{% endmacro %}
