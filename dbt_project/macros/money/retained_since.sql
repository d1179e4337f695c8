{% macro retained_since(retained, day) -%}
    {#- The number of views in `retained` (a list of period_start and views, or null) in periods after `day`. -#}
    cast(coalesce(list_sum(list_transform(
        list_filter({{ retained }}, lambda period: period.period_start > {{ day }}), lambda period: period.views
    )), 0) as bigint)
{%- endmacro %}
