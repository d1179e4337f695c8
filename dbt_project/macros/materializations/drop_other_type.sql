{% macro drop_other_type(target_relation) %}
    {#- Make room for a relation where an earlier version of its model made a view of that name, and
        this one is a table, or the reverse: nothing replaces one by the other. -#}
    {%- set there = load_cached_relation(target_relation) -%}
    {%- if there is not none and there.type != target_relation.type -%}
        {%- do adapter.drop_relation(there) -%}
    {%- endif -%}
{% endmacro %}
