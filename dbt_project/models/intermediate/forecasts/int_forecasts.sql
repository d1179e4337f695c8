{{ config(
    materialized="incremental",
    meta={"key": "organization_id", "replaces": "entities", "touched": "int_touched_forecasts"}
) }}

with

posts as (
    {{ scoped(ref('int_forecast_posts'), ref('int_touched_forecasts'), 'organization_id') }}
),

beginnings as (
    {{ forecast_beginnings("posts") }}
),

horizons as (
    select unnest(range(1, {{ forecast_bound("most_days") + 1 }})) as days
),

cuts as (
    select distinct
        organization_id,
        project_id,
        cut_day
    from posts
),

members as materialized (
    {{ scoped(ref('int_forecast_members'), ref('int_touched_forecasts'), 'organization_id') }}
),

daily as materialized (
    select
        posts.cut_day,
        daily.video_id,
        daily.day,
        daily.new_views,
        daily.cumulative_views
    from {{ ref('video_daily') }} as daily
    inner join posts using (video_id)
    where
        daily.cumulative_views is not null
        and daily.day <= posts.cut_day
        and daily.day > posts.cut_day - {{ forecast_bound("alive_days") }}
        and daily.day >= {{ least_of(ref('int_touched_forecasts'), "read_from", "date") }}
),

organizations as (
    select distinct
        organization_id,
        cut_day
    from posts
),

-- Growth of an organization's posts by platform, size and age; with too little data, by platform and age, or
-- by age only. In `sizes`, views_from is null for posts of all sizes.

of_sizes as (
    select
        organizations.organization_id,
        increments.platform,
        increments.views_from,
        increments.age_days,
        sum(increments.increments) as increments,
        sum(increments.base) as base,
        sum(increments.gained) as gained
    from organizations
    inner join {{ ref('int_growth_increments') }} as increments using (organization_id)
    where
        increments.day <= organizations.cut_day
        and increments.day > organizations.cut_day - {{ forecast_bound("fit_days") }}
    group by all
),

of_platforms as (
    select
        organization_id,
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
        organization_id,
        age_days,
        sum(base) as base,
        sum(gained) as gained
    from of_platforms
    group by all
),

platforms as (
    select distinct
        organization_id,
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
        unnest(range({{ forecast_bound("oldest_age") + 1 }})) as age_days
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
    left join of_sizes using (organization_id, platform, views_from, age_days)
    left join of_platforms using (organization_id, platform, age_days)
    left join of_ages using (organization_id, age_days)
),

rate_lists as (
    select
        organization_id,
        platform,
        views_from,
        {{ list_by("age_days", "greatest(rate, 0)") }} as rates
    from rates
    group by all
),

grown as materialized (
    select
        * exclude (rates),
        {{ grown_by_age("rates") }} as grown -- noqa
    from rate_lists
),

latest as materialized (
    select
        video_id,
        arg_max(cumulative_views, day) as views,
        sum(new_views) filter (where day > cut_day - 7) as last_week
    from daily
    group by video_id
),

alive as materialized (
    select
        latest.*,
        posts.organization_id,
        posts.platform,
        {{ views_from("latest.views") }} as views_from,
        cast(posts.cut_day - posts.appeared_on as integer) as age_days
    from latest
    inner join posts using (video_id)
    where posts.appeared_on <= posts.cut_day and latest.views > 0
),

cells as (
    select
        members.organization_id,
        members.project_id,
        members.entity_id,
        alive.platform,
        alive.views_from,
        least(alive.age_days, {{ forecast_bound("oldest_age") }}) as age_days,
        sum(alive.views) as views
    from alive
    inner join members using (video_id)
    group by all
),

of_posts as (
    select
        cells.project_id,
        cells.entity_id,
        horizons.days,
        {{ whole_forecast(
            "cells.views"
            " * (grown.grown[cells.age_days + horizons.days + 1] / grown.grown[cells.age_days + 1] - 1)"
        ) }} as views
    from cells
    inner join grown using (organization_id, platform, views_from)
    cross join horizons
),

-- A recent post's views in the end: its views so far, divided by the share it should have by now.

young as materialized (
    select
        alive.platform,
        alive.video_id,
        alive.views,
        greatest(cast(
            1000000 * (grown.grown[alive.age_days + 1] / grown.grown[{{ forecast_bound("ripe_age") + 1 }}])
            as bigint
        ), 1) as ripe
    from alive
    inner join grown using (organization_id, platform)
    where grown.views_from is null and alive.age_days < {{ forecast_bound("posting_days") }}
),

brought as (
    select
        members.project_id,
        members.entity_id,
        young.platform,
        count(*) as posts,
        sum(young.views) as views,
        sum(young.ripe) as ripe
    from young
    inner join members using (video_id)
    group by all
),

-- Made of lists before it meets posts: DuckDB would keep a list for each of their rows.

paces as materialized (
    select
        cuts.project_id,
        grown.platform,
        horizons.days,
        {{ days_known("cuts.cut_day", "beginnings.first_appeared_on", forecast_bound("posting_days")) }}
            as days_known,
        list_sum(grown.grown[1:horizons.days]) as grown_in_days,
        grown.grown[{{ forecast_bound("ripe_age") + 1 }}] as grown_when_ripe
    from grown
    inner join cuts using (organization_id)
    inner join beginnings using (project_id)
    cross join horizons
    where grown.views_from is null
),

of_posts_to_come as (
    select
        brought.project_id,
        brought.entity_id,
        paces.days,
        {{ whole_forecast(
            "brought.posts * brought.views * 1000000 / brought.ripe"
            " / paces.days_known * paces.grown_in_days / paces.grown_when_ripe"
        ) }} as views
    from brought
    inner join paces using (project_id, platform)
),

last_weeks as (
    select
        members.project_id,
        members.entity_id,
        sum(latest.last_week) as last_week
    from latest
    inner join members using (video_id)
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

gains as (
    select * from of_posts
    union all
    select * from of_posts_to_come
),

summed as (
    select
        project_id,
        entity_id,
        days,
        sum(views) as views
    from gains
    group by all
)

select
    entities.organization_id,
    project_id,
    entities.entity,
    entity_id,
    cuts.cut_day,
    cast(days as integer) as days,
    {{ whole_forecast("coalesce(summed.views, 0)") }} as views,
    {{ whole_forecast(half_up("greatest(coalesce(last_weeks.last_week, 0), 0) * days", "7")) }}
        as baseline_views
from entities
inner join cuts using (project_id)
cross join horizons
left join summed using (project_id, entity_id, days)
left join last_weeks using (project_id, entity_id)
where entities.first_day <= cuts.cut_day
