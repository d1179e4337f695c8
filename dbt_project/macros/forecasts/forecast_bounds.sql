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


{% macro forecast_beginnings(posts) -%}
    {#- Of each project the first day with a reading, and the first day on which one of the posts appeared that
        were read then. Older posts that are found later change no test of a day before. -#}
    select
        organization_id,
        project_id,
        first_day,
        min(appeared_on) as first_appeared_on
    from {{ posts }}
    group by organization_id, project_id, first_day
    qualify row_number() over (partition by project_id order by first_day) = 1
{%- endmacro %}


{% macro days_known(cut_day, first_day, most) -%}
    {#- Of so many days up to a cut those since the project's first post: how often somebody posted before it,
        nobody knows. -#}
    least(cast({{ cut_day }} - {{ first_day }} as integer) + 1, {{ most }})
{%- endmacro %}


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


{% macro forecast_daily_tests() -%}
    {#- In how many first days of a project forecasts of each day are tested; later on of Sundays alone, which
        are enough by then. -#}
    {{ return(91) }}
{%- endmacro %}


{% macro forecast_tested_as(days) -%}
    {#- Which of these tests speaks for a forecast of so many days: the nearest, by their ratio. -#}
    case when {{ days }} <= 14 then 7 when {{ days }} <= 48 then 28 else 84 end
{%- endmacro %}


{% macro tested_span(of="") -%}
    {#- Over how many days a group of tests reaches, from the first cut to the last day of all. `of`, here and
        below, is what stands before their columns. -#}
    max({{ of }}day) - min({{ of }}cut_day)
{%- endmacro %}


{% macro enough_tests(of="") -%}
    {#- Whether a group of tests, all of as many days, says something: what goes viral in a week spoils all
        tests of it, and tests of neighbouring days are nearly one test. -- one value: days -#}
    count(*) >= 15 and {{ tested_span(of) }} >= greatest(21, 2 * any_value({{ of }}days))
{%- endmacro %}


{% macro independent_tests(of="") -%}
    {#- How many of a group of tests, all of as many days, do not overlap; at least two. -- one value: days -#}
    greatest(
        least(count(*), count(distinct {{ of }}entity_id) * (({{ tested_span(of) }}) // any_value({{ of }}days))), 2
    )
{%- endmacro %}


{% macro tested_tenths(of="") -%}
    {#- What a group of tests came to, in millionths of what was expected: first tenth, middle, ninth tenth. -#}
    quantile_disc({{ of }}ppm, [0.1, 0.5, 0.9])
{%- endmacro %}


{% macro interval_end(tenths, which, independent) -%}
    {#- An end of the 80% interval in millionths: the tenth (`which`: 1) or the ninth tenth (3), moved away from
        the middle by 3 / 2(n - 1), since few tests spread less than what is to come (Student's t). Null
        without tests. -#}
    if({{ tenths }} is null, null, greatest(
        {{ tenths }}[2]
        + ({{ tenths }}[{{ which }}] - {{ tenths }}[2]) * (2 * {{ independent }} + 1) // (2 * {{ independent }} - 2),
        0
    ))
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
    {#- What is expected, in whole views or cents: a million millions at most, up or down, more than anybody
        ever gets in 92 days. Growth that goes on by the day at a pace of young posts, or a share of what came
        of one expected view, comes to more than a number holds, and a forecast is no reason for a pass to
        fail. -#}
    cast({{ bounded_forecast(value, 1000000000000) }} as bigint)
{%- endmacro %}


{% macro bounded_forecast(value, most) -%}
    {#- The value, or the nearer of `most` and its negative where it lies beyond; null where it is. -#}
    if({{ value }} > {{ most }}, {{ most }}, if({{ value }} < -{{ most }}, -{{ most }}, {{ value }}))
{%- endmacro %}


{% macro views_from(views) -%}
    {#- The size of a post by its views so far: the least views of its band. -#}
    case when {{ views }} < 1000 then 0 when {{ views }} < 10000 then 1000 when {{ views }} < 100000 then 10000 else 100000 end
{%- endmacro %}
