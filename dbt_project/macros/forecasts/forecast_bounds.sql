{# docs/rules/forecasts.md has the reasons. #}

{% macro forecast_bound(name) %}
    {#- `fit_days`: curves use the growth that became known in so many days up to the cut. `alive_days`: a post
        without a reading for so many days is expected to gain nothing; nor is its growth known between two
        readings farther apart. `posting_days`: anyone who posted in so many days is expected to continue at
        that rate. `oldest_age`: posts of this age in days and older grow alike. `ripe_age`: the age at which
        posts are compared by their views. `most_days`: how far ahead forecasts reach. `fewest_views`: a week
        with fewer says nothing about the next one. `fewest_weeks`: the spread of growth takes so many, each
        compared with the whole week before it. -#}
    {{ return({
        "fit_days": 91, "alive_days": 14, "posting_days": 14, "oldest_age": 60, "ripe_age": 28, "most_days": 92,
        "fewest_views": 1000, "fewest_weeks": 3
    }[name]) }}
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


{% macro interval_end(tenths, which, values) -%}
    {#- One end of the 80% interval in millionths of the median: the first decile (`which`: 1) or the ninth
        (3), moved away from the median by 3 / 2(n - 1), since a few values vary less than the future will
        (Student's t). -#}
    greatest(
        {{ tenths }}[2]
        + ({{ tenths }}[{{ which }}] - {{ tenths }}[2]) * (2 * {{ values }} + 1) // (2 * {{ values }} - 2),
        0
    ) * 1000000 // {{ tenths }}[2]
{%- endmacro %}


{% macro forecast_hidden_because(spread) -%}
    {#- Why a forecast has no interval and is hidden; null if it is shown. -#}
    if({{ spread }}.low_ratio is null, 'too_little_history', null)
{%- endmacro %}


{% macro forecast_end(expected, ratio) -%}
    {#- One end of the 80% interval: a share of the expected value, in whole views, posts or cents. -#}
    {{ whole_forecast("floor(" ~ expected ~ " * " ~ ratio ~ ")") }}
{%- endmacro %}


{% macro within_whole(name) -%}
    {#- A forecast of `parts`, at most that of their project in `wholes`, if that is known; null if null. -#}
    if(parts.{{ name }} > wholes.{{ name }}, wholes.{{ name }}, parts.{{ name }})
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


{% macro grown_by_age(rates) -%}
    {#- The list whose entry [age + 1] has a post's views at an age, as a multiple of those at the end of its
        first day, from its daily growth at each age. -#}
    list_reduce(
        list_transform(
            list_resize({{ rates }}, {{ forecast_bound("oldest_age") + forecast_bound("most_days") }}, {{ rates }}[-1]),
            lambda rate: [1 + rate]
        ),
        lambda reached, more: list_append(reached, reached[-1] * more[1]),
        [cast(1 as double)]
    )
{%- endmacro %}
