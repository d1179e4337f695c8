{{ config(materialized="view") }}

{#- Names tables, big facts and views by schema only, so that a publication can use its text unchanged. -#}
{%- set earned = ref('payout_earned').include(database=false) %}
{%- set video_days = ref('video_daily').include(database=false) %}
with

-- Earnings and video days are not CTEs: a CTE read twice is materialized, with everybody's evidence.

-- Views are paid by the period that gained them, or by the next paying period if carried over (M8).

paying as (
    select
        accrual_id,
        period_end,
        arg_min(accrual_id, period_start) filter (
            where limited_by is distinct from 'min_impressions'
        ) over from_then as earned_id,
        arg_min(period_end, period_start) filter (
            where limited_by is distinct from 'min_impressions'
        ) over from_then as earned_by
    from {{ earned }}
    where criteria_type = 'cpm' and {{ costs_of() }}
    window from_then as (
        partition by organization_id, payee_id order by period_start
        rows between current row and unbounded following
    )
),

-- Reads only the posts of those periods: the filter on days lets DuckDB skip months. A structure that kept
-- its zone (M15) may pay views of the day before its period, which has none of the post's days: least()
-- prevents using a later day.

listed as (
    select
        earned.organization_id,
        paying.earned_id,
        earned.period_start,
        earned.period_end,
        least(earned.period_end, zones.today) as last_day,
        unnest(earned.cpm_evidence[1]['videos']) as rise
    from paying
    inner join {{ earned }} as earned using (accrual_id, period_end)
    inner join {{ ref('organizations').include(database=false) }} as organizations
        on earned.organization_id = organizations.organization_id
    inner join {{ ref('payout_zones').include(database=false) }} as zones
        on organizations.analytics_tz = zones.timezone
    where {{ costs_from("paying.earned_by") }}
),

rises as (
    select
        * exclude (rise),
        rise['video_id'] as video_id,
        rise['account_id'] as account_id,
        rise['views_from'] as views_from,
        rise['views_to'] as views_to
    from listed
),

-- How far each day moved a post from views_from to views_to; the last day reaches the end.

highs as (
    select
        rises.*,
        coalesce(video_days.day, rises.last_day) as day,
        if(
            lead(video_days.day) over of_rise is null,
            rises.views_to,
            least(
                rises.views_to,
                greatest(rises.views_from, max(video_days.cumulative_views) over of_rise)
            )
        ) as high
    from rises
    left join {{ video_days }} as video_days
        on
            rises.video_id = video_days.video_id
            and rises.period_start <= video_days.day
            and rises.period_end >= video_days.day
            and video_days.cumulative_views is not null
    window of_rise as (
        partition by
            rises.organization_id, rises.earned_id, rises.period_start,
            rises.video_id, rises.account_id, rises.views_from
        order by video_days.day
    )
),

gained as (
    select
        organization_id,
        earned_id,
        day,
        video_id,
        account_id,
        high - lag(high, 1, views_from) over of_rise as views
    from highs
    window of_rise as (
        partition by organization_id, earned_id, period_start, video_id, account_id, views_from
        order by day
    )
),

by_views as (
    select
        organization_id,
        earned_id,
        day,
        video_id,
        account_id,
        cast(sum(views) as bigint) as views,
        sum(views) as weight
    from gained
    where views > 0
    group by organization_id, earned_id, day, video_id, account_id
),

by_thresholds as (
    select
        organization_id,
        accrual_id as earned_id,
        period_start as day,
        subject_id as video_id,
        1 as weight
    from {{ earned }}
    where criteria_type = 'view_threshold' and {{ costs_of() }} and {{ costs_from("period_end") }}
),

outcomes as (
    select
        organization_id,
        accrual_id,
        unnest(cast(evidence ->> '$.conversions[*].conversion_id' as uuid[])) as conversion_id
    from {{ earned }}
    where criteria_type = 'conversion' and {{ costs_of() }} and {{ costs_from("period_end") }}
),

rates as (
    select
        accrual_id,
        unnest(cast(evidence -> '$.rates' as json[])) as rate
    from {{ earned }}
    where criteria_type = 'conversion' and {{ costs_of() }} and {{ costs_from("period_end") }}
),

-- A conversion's weight is what it earns, limited like amounts: amounts are multiplied by weights.

by_conversions as (
    select
        outcomes.organization_id,
        outcomes.accrual_id as earned_id,
        conversions.day,
        conversions.video_id,
        conversions.account_id,
        rules.bounded_cents(sum(if(
            rates.rate ->> 'rate_type' = 'flat',
            cast(rates.rate ->> 'amount_cents' as hugeint) * conversions.quantity * 10000,
            cast(rates.rate ->> 'percent_bps' as hugeint) * conversions.total_value_cents
        ))) as weight
    from outcomes
    inner join {{ ref('conversions').include(database=false) }} as conversions
        on
            outcomes.organization_id = conversions.organization_id
            and outcomes.conversion_id = conversions.conversion_id
    inner join rates
        on
            outcomes.accrual_id = rates.accrual_id
            and conversions.conversion_event_id = cast(rates.rate ->> 'conversion_event_id' as uuid)
    group by all
),

-- Fees and goals have no post: each covered day gets an equal part, shared among the posts in scope of the
-- version that pays the period, by their views gained that day.

spread_days as (
    select
        earned.organization_id,
        earned.accrual_id as earned_id,
        earned.creator_id,
        scopes.platform,
        scopes.account_id as scope_account_id,
        cast(unnest(range(
            cast(greatest(earned.period_start, covered_days.from_day) as timestamp),
            cast(least(earned.period_end, coalesce(covered_days.to_day, earned.period_end)) + 1 as timestamp),
            interval 1 day
        )) as date) as day
    from {{ earned }} as earned
    inner join {{ ref('payout_covered_days').include(database=false) }} as covered_days
        on
            earned.organization_id = covered_days.organization_id
            and earned.payee_id = covered_days.payee_id
    inner join {{ ref('payout_version_scopes').include(database=false) }} as scopes
        on
            earned.organization_id = scopes.organization_id
            and earned.version_id = scopes.version_id
    where
        earned.criteria_type in ('recurring', 'goals')
        and {{ costs_of("earned.creator_id") }}
        and {{ costs_from("earned.period_end") }}
        and covered_days.from_day <= earned.period_end
        and coalesce(covered_days.to_day >= earned.period_start, true)
),

seen as (
    select
        videos.organization_id,
        videos.creator_id,
        videos.platform,
        videos.account_id,
        videos.video_id,
        video_days.day,
        video_days.new_views
    from {{ ref('videos').include(database=false) }} as videos
    inner join {{ video_days }} as video_days using (video_id)
    where
        videos.is_counted
        and video_days.new_views > 0
        and {{ costs_of("videos.creator_id") }}
        and {{ costs_from("video_days.day") }}
),

-- Scopes are checked after the join: a left join with more than key conditions compares all pairs.

in_scope as (
    select
        days.organization_id,
        days.earned_id,
        days.day,
        seen.video_id,
        seen.account_id,
        seen.new_views
    from spread_days as days
    inner join seen
        on
            days.organization_id = seen.organization_id
            and days.creator_id = seen.creator_id
            and days.day = seen.day
    where
        coalesce(days.platform = seen.platform, true)
        and coalesce(days.scope_account_id = seen.account_id, true)
),

by_days as (
    select
        days.organization_id,
        days.earned_id,
        days.day,
        in_scope.video_id,
        in_scope.account_id,
        coalesce(in_scope.new_views, 1) as weight
    from spread_days as days
    left join in_scope
        on
            days.organization_id = in_scope.organization_id
            and days.earned_id = in_scope.earned_id
            and days.day = in_scope.day
),

weighed as (
    select * from by_views
    union all by name
    select * from by_thresholds
    union all by name
    select * from by_conversions
    union all by name
    select * from by_days
)

select
    organization_id,
    earned_id,
    day,
    video_id,
    account_id,
    views,
    cast(weight as decimal(38, 0)) as weight
from weighed
