{% macro retained_since(kept, day) -%}
    {#- How many views of `kept` (a list of period_start and views, or null) are of periods after `day`. -#}
    cast(coalesce(list_sum(list_transform(
        list_filter({{ kept }}, lambda one: one.period_start > {{ day }}), lambda one: one.views
    )), 0) as bigint)
{%- endmacro %}
