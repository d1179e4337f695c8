{% macro growth_increments(touched, since) -%}
    {#- The CTE `increments`: the growth of each post of touched organizations from one day's end to the next,
        with its age and the day on which it became known (`day`, that of the later reading). Between readings
        on non-consecutive days, growth is spread evenly. An increment counts as at most three times the views
        before it, so that one viral post does not set the rule for others. `since` names the column of
        `touched` with the day from which readings are needed. -#}
    posts as (
        {{ scoped(ref('int_forecast_posts'), touched, 'organization_id', tells=true) }}
    ),

    readings as (
        select
            posts.*,
            daily.day,
            daily.cumulative_views as views,
            lag(daily.day) over of_post as day_before,
            lag(daily.cumulative_views) over of_post as views_before
        from {{ ref('video_daily') }} as daily
        inner join posts using (video_id)
        where
            daily.cumulative_views is not null
            and daily.day <= posts.cut_day
            and daily.day >= {{ least_of(touched, since, "date") }}
        window of_post as (partition by daily.video_id order by daily.day)
    ),

    days_between as (
        select
            *,
            cast(day - day_before as integer) as days,
            unnest(range(cast(day - day_before as integer))) as day_number
        from readings
        where
            day_before >= appeared_on
            and day - day_before <= {{ forecast_alive_days() }}
            and views_before > 0
    ),

    grown as (
        select
            *,
            views_before + (views - views_before) * day_number // days as base,
            views_before + (views - views_before) * (day_number + 1) // days as after
        from days_between
    ),

    increments as (
        select
            organization_id,
            project_id,
            platform,
            touched_from,
            cut_day,
            day,
            {{ views_from("views_before") }} as views_from,
            least(day_before - appeared_on + day_number, {{ forecast_oldest_age() }}) as age_days,
            base,
            least(after - base, 3 * base) as gained
        from grown
        where base > 0
    )
{%- endmacro %}
