{% macro posts_expected(posts, days, of_days) -%}
    {#- The whole number of posts in `days` days, at a rate of `posts` in `of_days`. -#}
    {{ half_up(posts ~ " * " ~ days, of_days) }}
{%- endmacro %}
