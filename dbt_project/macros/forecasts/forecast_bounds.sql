{# What forecasts are made of and how far they look; docs/rules/forecasts.md gives the reasons. #}

{% macro forecast_fit_days() %}
    {#- Curves are of the growth that became known within so many days up to the cut. -#}
    {{ return(91) }}
{% endmacro %}


{% macro forecast_alive_days() %}
    {#- A post that was not read for so many days is not expected to gain; nor is it known how it grew
        between two readings that lie farther apart. -#}
    {{ return(14) }}
{% endmacro %}


{% macro forecast_posting_days() %}
    {#- Who posted within so many days goes on posting as often. -#}
    {{ return(14) }}
{% endmacro %}


{% macro forecast_oldest_age() %}
    {#- Posts of this age in days, and older ones, grow alike. -#}
    {{ return(60) }}
{% endmacro %}


{% macro forecast_ripe_age() %}
    {#- The age in days at which posts are compared: what a post comes to. -#}
    {{ return(28) }}
{% endmacro %}


{% macro forecast_most_days() %}
    {#- How many days ahead forecasts are made. -#}
    {{ return(92) }}
{% endmacro %}


{% macro forecast_test_days() %}
    {#- How many days ahead forecasts are tested. -#}
    {{ return([7, 28, 84]) }}
{% endmacro %}


{% macro forecast_tested_days() %}
    {#- Of how many days tests tell, up to the last one: 26 weeks. How it was before says little of now. -#}
    {{ return(182) }}
{% endmacro %}


{% macro forecast_tested_as(days) -%}
    {#- Which of these tests speaks for a forecast of so many days: the nearest, by their ratio. -#}
    case when {{ days }} <= 14 then 7 when {{ days }} <= 48 then 28 else 84 end
{%- endmacro %}


{% macro enough_tests(tests, weeks) -%}
    {#- Whether so many tests say something: what goes viral in a week spoils all tests of it. -#}
    {{ tests }} >= 20 and {{ weeks }} >= 4
{%- endmacro %}


{% macro forecast_fewest(metric) -%}
    {#- Errors are told in shares of what came, which of fewer views, posts or cents say nothing. -#}
    case {{ metric }} when 'views' then 1000 when 'posts' then 1 else 100 end
{%- endmacro %}


{% macro forecast_hidden_because(accuracy) -%}
    {#- Why what such tests speak for is not to be shown; null where it is. There may be no tests. -#}
    if({{ accuracy }}.tests is null, 'too_few_tests', {{ accuracy }}.hidden_because)
{%- endmacro %}


{% macro forecast_end(expected, ratio) -%}
    {#- An end of the 80% interval: such a share of what is expected, in whole views, posts or cents. -#}
    {{ whole_forecast("floor(" ~ expected ~ " * " ~ ratio ~ ")") }}
{%- endmacro %}


{% macro whole_forecast(value) -%}
    {#- What is expected, in whole views or cents: a million millions at most, more than anybody ever gets in
        92 days. Growth that goes on by the day at a pace of young posts comes to more than a number holds,
        and a forecast is no reason for a pass to fail. -#}
    cast(if({{ value }} > 1000000000000, 1000000000000, {{ value }}) as bigint)
{%- endmacro %}


{% macro views_from(views) -%}
    {#- The size of a post by its views so far: the least views of its band. -#}
    case when {{ views }} < 1000 then 0 when {{ views }} < 10000 then 1000 when {{ views }} < 100000 then 10000 else 100000 end
{%- endmacro %}
