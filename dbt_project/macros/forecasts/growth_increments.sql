{% macro growth_increments(touched, since) -%}
    {#- The CTE `increments`: how each post of touched organizations grew from one day's end to the next, at which
        age, known on which day (`day`, the one of the later reading). Between readings on other days than
        the next growth is even. An increment counts as three times the views before it at most: one post that
        went viral is no rule for others. `since` names the column of `touched` that says from which day
        on readings are needed. -#}
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
