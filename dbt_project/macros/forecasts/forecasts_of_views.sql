{% macro forecasts_of_views(horizons, touched, since) -%}
    {#- The CTE `forecasts`: the forecasts listed in `horizons` (project_id, cut_day, days: the number of days
        after the cut), for the project and its campaigns and creators with posts by then, from readings up to
        the cut only. `views` is what its existing and expected posts will gain, `baseline_views` what it
        would gain at the rate of the seven days up to the cut. `since` names the column of `touched` with the
        day from which readings are needed. -#}
    posts as (
        {{ scoped(ref('int_forecast_posts'), touched, 'organization_id') }}
    ),

    beginnings as (
        {{ forecast_beginnings("posts") }}
    ),

    horizons as materialized (
        {{ horizons }}
    ),

    cuts as (
        select distinct
            project_id,
            cut_day
        from horizons
    ),

    members as materialized (
        {{ scoped(ref('int_forecast_members'), touched, 'organization_id') }}
    ),

    daily as materialized (
        select
            posts.project_id,
            daily.video_id,
            daily.day,
            daily.new_views,
            daily.cumulative_views
        from {{ ref('video_daily') }} as daily
        inner join posts using (video_id)
        where
            daily.cumulative_views is not null
            and daily.day <= posts.cut_day
            and daily.day >= {{ least_of(touched, since, "date") }}
    ),

    -- Growth of posts by platform, size and age; with too little data, by platform and age, or by age only.
    -- In `sizes`, views_from is null for posts of all sizes.

    of_sizes as (
        select
            cuts.project_id,
            cuts.cut_day,
            increments.platform,
            increments.views_from,
            increments.age_days,
            sum(increments.increments) as increments,
            sum(increments.base) as base,
            sum(increments.gained) as gained
        from cuts
        inner join {{ ref('int_growth_increments') }} as increments using (project_id)
        where increments.day <= cuts.cut_day and increments.day > cuts.cut_day - {{ forecast_fit_days() }}
        group by all
    ),

    of_platforms as (
        select
            project_id,
            cut_day,
            platform,
            age_days,
            sum(increments) as increments,
            sum(base) as base,
            sum(gained) as gained
        from of_sizes
        group by all
    ),

    of_ages as (
        select
            project_id,
            cut_day,
            age_days,
            sum(base) as base,
            sum(gained) as gained
        from of_platforms
        group by all
    ),

    platforms as (
        select distinct
            project_id,
            cut_day,
            platform
        from of_platforms
    ),

    sizes as (
        select
            *,
            unnest([0, 1000, 10000, 100000, null]) as views_from
        from platforms
    ),

    ages as (
        select
            *,
            unnest(range({{ forecast_oldest_age() + 1 }})) as age_days
        from sizes
    ),

    rates as (
        select
            ages.*,
            case
                when of_sizes.increments >= 30 then of_sizes.gained / of_sizes.base
                when of_platforms.increments >= 30 then of_platforms.gained / of_platforms.base
                else coalesce(of_ages.gained / of_ages.base, 0)
            end as rate
        from ages
        left join of_sizes using (project_id, cut_day, platform, views_from, age_days)
        left join of_platforms using (project_id, cut_day, platform, age_days)
        left join of_ages using (project_id, cut_day, age_days)
    ),

    rate_lists as (
        select
            project_id,
            cut_day,
            platform,
            views_from,
            {{ list_by("age_days", "greatest(rate, 0)") }} as rates
        from rates
        group by all
    ),

    -- grown[age + 1] is a post's views at an age, as a multiple of those at the end of its first day.

    grown as materialized (
        select
            * exclude (rates),
            list_reduce(
                list_transform(
                    list_resize(rates, {{ forecast_oldest_age() + forecast_most_days() }}, rates[-1]),
                    lambda rate: [1 + rate]
                ),
                lambda reached, more: list_append(reached, reached[-1] * more[1]),
                [cast(1 as double)]
            ) as grown
        from rate_lists
    ),

    -- Days join their cuts by equality: with a range, each day of a post would join all cuts.

    before_cuts as (
        select
            *,
            cut_day - cast(unnest(range({{ forecast_alive_days() }})) as integer) as day
        from cuts
    ),

    at_cuts as (
        select
            daily.project_id,
            before_cuts.cut_day,
            daily.video_id,
            arg_max(daily.cumulative_views, daily.day) as views,
            sum(daily.new_views) filter (where daily.day > before_cuts.cut_day - 7) as last_week
        from daily
        inner join before_cuts using (project_id, day)
        group by all
    ),

    alive as materialized (
        select
            at_cuts.*,
            posts.platform,
            {{ views_from("at_cuts.views") }} as views_from,
            cast(at_cuts.cut_day - posts.appeared_on as integer) as age_days
        from at_cuts
        inner join posts using (project_id, video_id)
        where posts.appeared_on <= at_cuts.cut_day and at_cuts.views > 0
    ),

    cells as (
        select
            members.project_id,
            members.entity_id,
            alive.cut_day,
            alive.platform,
            alive.views_from,
            least(alive.age_days, {{ forecast_oldest_age() }}) as age_days,
            sum(alive.views) as views
        from alive
        inner join members using (project_id, video_id)
        group by all
    ),

    of_posts as (
        select
            cells.project_id,
            cells.entity_id,
            cells.cut_day,
            horizons.days,
            {{ whole_forecast(
                "cells.views * (grown.grown[cells.age_days + horizons.days + 1] / grown.grown[cells.age_days + 1] - 1)"
            ) }} as views
        from cells
        inner join grown using (project_id, cut_day, platform, views_from)
        inner join horizons using (project_id, cut_day)
    ),

    -- A recent post's views in the end: its views so far, divided by the share it should have by now. Computed
    -- before the join with members: DuckDB would join these with all cuts first.

    young as materialized (
        select
            alive.project_id,
            alive.cut_day,
            alive.platform,
            alive.video_id,
            alive.views,
            greatest(cast(
                1000000 * (grown.grown[alive.age_days + 1] / grown.grown[{{ forecast_ripe_age() + 1 }}]) as bigint
            ), 1) as ripe
        from alive
        inner join grown using (project_id, cut_day, platform)
        where grown.views_from is null and alive.age_days < {{ forecast_posting_days() }}
    ),

    brought as (
        select
            members.project_id,
            members.entity_id,
            young.cut_day,
            young.platform,
            count(*) as posts,
            sum(young.views) as views,
            sum(young.ripe) as ripe
        from young
        inner join members using (project_id, video_id)
        group by all
    ),

    -- Made of lists before it meets posts: DuckDB would keep a list for each of their rows.

    paces as materialized (
        select
            grown.project_id,
            grown.cut_day,
            grown.platform,
            horizons.days,
            {{ days_known("grown.cut_day", "beginnings.first_appeared_on", forecast_posting_days()) }} as days_known,
            list_sum(grown.grown[1:horizons.days]) as grown_in_days,
            grown.grown[{{ forecast_ripe_age() + 1 }}] as grown_when_ripe
        from grown
        inner join beginnings using (project_id)
        inner join horizons using (project_id, cut_day)
        where grown.views_from is null
    ),

    of_posts_to_come as (
        select
            brought.project_id,
            brought.entity_id,
            brought.cut_day,
            paces.days,
            {{ whole_forecast(
                "brought.posts * brought.views * 1000000 / brought.ripe"
                " / paces.days_known * paces.grown_in_days / paces.grown_when_ripe"
            ) }} as views
        from brought
        inner join paces using (project_id, cut_day, platform)
    ),

    last_weeks as (
        select
            members.project_id,
            members.entity_id,
            at_cuts.cut_day,
            sum(at_cuts.last_week) as last_week
        from at_cuts
        inner join members using (project_id, video_id)
        group by all
    ),

    entities as (
        select
            organization_id,
            project_id,
            entity,
            entity_id,
            min(first_day) as first_day
        from members
        group by all
    ),

    -- One sum over all of it: DuckDB spills an aggregate, but would need joins of as many rows in memory at once.

    summands as (
        select
            project_id,
            entity_id,
            cut_day,
            days,
            views,
            0 as last_week
        from of_posts
        union all
        select
            *,
            0 as last_week
        from of_posts_to_come
        union all
        select
            last_weeks.project_id,
            last_weeks.entity_id,
            cut_day,
            horizons.days,
            0 as views,
            last_weeks.last_week
        from last_weeks
        inner join horizons using (project_id, cut_day)
        union all
        select
            project_id,
            entities.entity_id,
            horizons.cut_day,
            horizons.days,
            0 as views,
            0 as last_week
        from entities
        inner join horizons using (project_id)
    ),

    summed as (
        select
            project_id,
            entity_id,
            cut_day,
            days,
            sum(views) as views,
            greatest(sum(last_week), 0) as last_week
        from summands
        group by all
    ),

    forecasts as (
        select
            entities.organization_id,
            project_id,
            entities.entity,
            entity_id,
            summed.cut_day,
            summed.days,
            {{ whole_forecast("summed.views") }} as views,
            {{ whole_forecast(half_up("summed.last_week * summed.days", "7")) }} as baseline_views
        from summed
        inner join entities using (project_id, entity_id)
        where entities.first_day <= summed.cut_day
    )
{%- endmacro %}
