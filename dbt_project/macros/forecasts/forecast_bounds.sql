{# The constants of forecasts: their data and how far they look ahead; docs/rules/forecasts.md has the
   reasons. #}

{% macro forecast_fit_days() %}
    {#- Curves use the growth that became known in this many days up to the cut. -#}
    {{ return(91) }}
{% endmacro %}


{% macro forecast_alive_days() %}
    {#- A post without a reading for this many days is expected to gain nothing; nor is its growth known
        between two readings farther apart. -#}
    {{ return(14) }}
{% endmacro %}


{% macro forecast_posting_days() %}
    {#- Anyone who posted in this many days is expected to continue at that rate. -#}
    {{ return(14) }}
{% endmacro %}


{% macro forecast_beginnings(posts) -%}
    {#- Each project's first day with a reading, and the first day on which a post read that day appeared.
        Older posts found later change no test of an earlier day. -#}
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
    {#- The days since the project's first post, at most `most` days up to a cut: nobody knows how often
        somebody posted before that. -#}
    least(cast({{ cut_day }} - {{ first_day }} as integer) + 1, {{ most }})
{%- endmacro %}


{% macro forecast_oldest_age() %}
    {#- Posts of this age in days and older grow alike. -#}
    {{ return(60) }}
{% endmacro %}


{% macro forecast_ripe_age() %}
    {#- The age in days at which posts are compared by their views. -#}
    {{ return(28) }}
{% endmacro %}


{% macro forecast_most_days() %}
    {#- How many days ahead forecasts reach. -#}
    {{ return(92) }}
{% endmacro %}


{% macro forecast_test_days() %}
    {#- How many days ahead forecasts are tested. -#}
    {{ return([7, 28, 84]) }}
{% endmacro %}


{% macro forecast_tested_days() %}
    {#- The days of tests to use, up to the last one: 26 weeks. Older ones say little about now. -#}
    {{ return(182) }}
{% endmacro %}


{% macro forecast_daily_tests() -%}
    {#- The first days of a project in which each day's forecasts are tested; after that only Sundays', which
        are enough by then. -#}
    {{ return(91) }}
{%- endmacro %}


{% macro forecast_tested_as(days) -%}
    {#- Which test applies to a forecast of this many days: the nearest, by ratio. -#}
    case when {{ days }} <= 14 then 7 when {{ days }} <= 48 then 28 else 84 end
{%- endmacro %}


{% macro tested_span(of="") -%}
    {#- The days from the first cut to the last day of a group of tests. `of`, here and below, prefixes their
        columns. -#}
    max({{ of }}day) - min({{ of }}cut_day)
{%- endmacro %}


{% macro enough_tests(of="") -%}
    {#- Whether a group of tests, all of the same number of days, is meaningful: a viral week spoils all its
        tests, and tests of neighbouring days are nearly one test. -- one value: days -#}
    count(*) >= 15 and {{ tested_span(of) }} >= greatest(21, 2 * any_value({{ of }}days))
{%- endmacro %}


{% macro independent_tests(of="") -%}
    {#- The number of tests in a group that do not overlap; at least two. -- one value: days -#}
    greatest(
        least(count(*), count(distinct {{ of }}entity_id) * (({{ tested_span(of) }}) // any_value({{ of }}days))), 2
    )
{%- endmacro %}


{% macro tested_tenths(of="") -%}
    {#- The results of a group of tests, in millionths of the expected value: first decile, median, ninth
        decile. -#}
    quantile_disc({{ of }}ppm, [0.1, 0.5, 0.9])
{%- endmacro %}


{% macro interval_end(tenths, which, independent) -%}
    {#- One end of the 80% interval in millionths: the first decile (`which`: 1) or the ninth (3), moved away
        from the median by 3 / 2(n - 1), since a few tests vary less than the future will (Student's t). Null
        without tests. -#}
    if({{ tenths }} is null, null, greatest(
        {{ tenths }}[2]
        + ({{ tenths }}[{{ which }}] - {{ tenths }}[2]) * (2 * {{ independent }} + 1) // (2 * {{ independent }} - 2),
        0
    ))
{%- endmacro %}


{% macro forecast_fewest(metric) -%}
    {#- The smallest result that tests are judged on: errors are shares of it, and mean nothing for fewer
        views, posts or cents. -#}
    case {{ metric }} when 'views' then 1000 when 'posts' then 1 else 100 end
{%- endmacro %}


{% macro forecast_hidden_because(accuracy) -%}
    {#- Why a forecast with this accuracy is hidden; null if it is shown. There may be no tests. -#}
    if({{ accuracy }}.tests is null, 'too_few_tests', {{ accuracy }}.hidden_because)
{%- endmacro %}


{% macro forecast_end(expected, ratio) -%}
    {#- One end of the 80% interval: a share of the expected value, in whole views, posts or cents. -#}
    {{ whole_forecast("floor(" ~ expected ~ " * " ~ ratio ~ ")") }}
{%- endmacro %}


{% macro whole_forecast(value) -%}
    {#- The expected value in whole views or cents, limited to a million millions, up or down, more than
        anybody gets in 92 days. Growth extrapolated daily from young posts, or a ratio to one expected view,
        can exceed the range of a number, and a forecast must not make a run fail. -#}
    cast({{ bounded_forecast(value, 1000000000000) }} as bigint)
{%- endmacro %}


{% macro bounded_forecast(value, most) -%}
    {#- The value, limited to `most` and its negative; null if it is null. -#}
    if({{ value }} > {{ most }}, {{ most }}, if({{ value }} < -{{ most }}, -{{ most }}, {{ value }}))
{%- endmacro %}


{% macro views_from(views) -%}
    {#- The size band of a post by its views so far: the band's lower bound. -#}
    case when {{ views }} < 1000 then 0 when {{ views }} < 10000 then 1000 when {{ views }} < 100000 then 10000 else 100000 end
{%- endmacro %}
