{%- set touched = ref('int_touched_payees') %}

with

touched_payees as (
    {{ scoped(ref('int_payout_payees'), touched, "payee_id", tells=true) }}
),

payees as (
    select * from touched_payees
    where criteria_type = 'view_threshold'
),

versions as (
    select * from {{ ref('int_payout_versions') }}
    where criteria_type = 'view_threshold'
),

offers as materialized (
    select
        versions.*,
        cast(listed.threshold ->> '$.view_count' as bigint) as view_count,
        cast(listed.threshold ->> '$.amount_cents' as bigint) as offered_cents
    from versions
    cross join unnest(cast(versions.criteria_params -> '$.thresholds' as json[])) as listed (threshold)
),

-- Each payee with its own thresholds, computed before the join with days: days joined with thresholds first
-- would be joined with those of all organizations.

thresholds as materialized (
    select distinct
        payees.payee_id,
        payees.structure_id,
        payees.creator_id,
        payees.timezone,
        payees.backfill_on_assignment,
        payees.touched_from,
        offers.view_count
    from payees
    inner join offers using (structure_id)
),

-- With is_counted in the condition, DuckDB joins by key; as a filter on one side, it would compare all pairs.

retained_videos as (
    select
        *,
        false as is_counted
    from {{ ref('int_payout_kept_videos') }}
),

videos as (
    select * from {{ ref('int_payout_videos') }}
    where is_counted or video_id in (select retained_videos.video_id from retained_videos)
),

days as (
    {{ payout_video_days("videos", least_of(touched, "from_day", "date")) }}
),

-- The day of the first reading at or above each threshold.

crossed as (
    select
        thresholds.payee_id,
        thresholds.structure_id,
        thresholds.timezone,
        thresholds.backfill_on_assignment,
        thresholds.view_count,
        days.video_id,
        days.account_id,
        days.platform,
        days.is_counted,
        days.posted_on,
        days.day,
        days.high_water_mark_before is null and thresholds.view_count <= days.first_views as is_first_reading
    from days
    inner join thresholds
        on
            days.creator_id = thresholds.creator_id
            and days.timezone = thresholds.timezone
            and days.day >= thresholds.touched_from
            and days.high_water_mark >= thresholds.view_count
            and coalesce(days.high_water_mark_before, -1) < thresholds.view_count
),

-- Covered days, without first readings that do not tell when the threshold was reached; with backfill all
-- days up to the last covered one, except paused ones.

runs as (
    select * from {{ ref('int_payout_runs') }}
),

backfilled as (
    select
        payee_id,
        max(until_day) as until_day
    from runs
    group by payee_id
    having min(starts_at) <= {{ as_of() }}
),

earned as (
    select crossed.*
    from crossed
    inner join runs
        on
            crossed.payee_id = runs.payee_id
            and crossed.day >= runs.from_day
            and crossed.day < runs.until_day
            and (not crossed.is_first_reading or crossed.posted_on >= runs.from_day)
    where not crossed.backfill_on_assignment
    union all
    select crossed.*
    from crossed
    inner join backfilled on crossed.payee_id = backfilled.payee_id and crossed.day < backfilled.until_day
    anti join {{ ref('int_payout_pauses') }} as pauses
        on
            crossed.payee_id = pauses.payee_id
            and crossed.day >= pauses.from_day
            and crossed.day < pauses.until_day
    where crossed.backfill_on_assignment
),

next_days as (
    select distinct
        timezone as zone,
        day + 1 as day
    from earned
),

day_ends as (
    {{ day_starts("next_days") }}
),

dated as (
    select
        earned.*,
        day_ends.starts_at as ends_at
    from earned
    inner join day_ends on earned.timezone = day_ends.zone and earned.day + 1 = day_ends.day
),

-- The rewards of that day's version (M4), within its scope, for posts that count (M13).

offered as (
    select
        dated.*,
        offers.version_id,
        offers.version_number,
        offers.offered_cents as amount_cents
    from dated
    inner join offers
        on {{ in_force_at_end("offers", "dated") }} and dated.view_count = offers.view_count
    left join retained_videos
        on
            dated.is_counted = retained_videos.is_counted
            and dated.payee_id = retained_videos.payee_id
            and dated.video_id = retained_videos.video_id
            and dated.view_count = retained_videos.view_count
    where
        offers.offered_cents > 0
        and {{ in_scope("offers", "dated") }}
        and (dated.is_counted or retained_videos.video_id is not null)
),

reached as (
    select
        offered.payee_id,
        offered.video_id,
        offered.view_count,
        min(deltas.captured_at) as reached_at,
        arg_min(deltas.view_count, deltas.captured_at) as views_read
    from offered
    inner join {{ ref('video_deltas') }} as deltas
        on
            offered.video_id = deltas.video_id
            and offered.view_count <= deltas.view_count
            and offered.ends_at - interval 3 days < deltas.captured_at
            and offered.ends_at > deltas.captured_at
    where deltas.captured_at > {{ least_of(touched, "from_day - 3", "timestamptz") }}
    group by all
)

select
    payee_id,
    payees.organization_id,
    payees.project_id,
    structure_id,
    offered.version_id,
    offered.version_number,
    payees.creator_id,
    payees.criteria_type,
    offered.day as period_start,
    offered.day as period_end,
    offered.ends_at,
    video_id as subject_id,
    view_count,
    'USD' as currency,
    offered.amount_cents,
    cast(offered.amount_cents as decimal(38, 9)) as precise_amount,
    cast(null as varchar) as limited_by,
    payees.timezone,
    to_json({
        'type': 'view_threshold',
        'video_id': video_id,
        'account_id': offered.account_id,
        'view_count': view_count,
        'reached_at': {{ iso_instant("reached.reached_at") }},
        'views_read': reached.views_read,
        'amount_cents': offered.amount_cents,
        'limited_by': cast([] as varchar[])
    }) as evidence
from offered
inner join reached using (payee_id, video_id, view_count)
inner join payees using (payee_id, structure_id)
