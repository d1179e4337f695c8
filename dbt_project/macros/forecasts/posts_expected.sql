{% macro posts_expected(posts, days, of_days) -%}
    {#- Whole posts in so many days by somebody who made so many in `of_days`. -#}
    {{ half_up(posts ~ " * " ~ days, of_days) }}
{%- endmacro %}
