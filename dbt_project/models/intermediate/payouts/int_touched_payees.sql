with

payees as (
    select * from {{ ref('int_payout_payees') }}
),

videos as (
    select * from {{ ref('int_payout_videos') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

by_zone as (
    select
        payees.payee_id,
        date '-infinity' as from_day
    from payees
    inner join {{ source('control', 'payout_payees') }} as published using (payee_id)
    where payees.timezone <> published.timezone
),

changed_intervals as (
    select
        payee_id,
        from_day
    from {{ ref('int_payout_intervals') }} as intervals
    full join {{ source('control', 'payout_intervals') }} as published using (payee_id, from_day)
    where intervals.state is distinct from published.state
),

-- Only days that have begun are processed (M8, M12).

begun_runs as (
    select
        payee_id,
        from_day
    from {{ ref('int_payout_runs') }}
    where starts_at > {{ previous_as_of() }} and starts_at <= {{ as_of() }}
),

intervals as (
    select * from changed_intervals
    union all
    select * from begun_runs
),

first_readings as (
    select
        creator_id,
        min(first_read_on) as first_read_on
    from videos
    group by creator_id
),

by_intervals as (
    select
        intervals.payee_id,
        case
            when not payees.backfill_on_assignment then intervals.from_day
            when payees.criteria_type <> 'conversion'
                then least(intervals.from_day, first_readings.first_read_on)
            else date '-infinity'  -- also where no assignment is left: the rule is not known
        end as from_day
    from intervals
    left join payees using (payee_id)
    left join first_readings using (creator_id)
),

-- A version applies from the period in progress when it was created (M4).

new_versions as (
    select versions.*
    from {{ ref('int_payout_versions') }} as versions
    anti join {{ source('control', 'payout_versions') }} using (version_id)
),

by_versions as (
    select
        payees.payee_id,
        {{ local_day("new_versions.created_at", "offsets.utc_offset_seconds") }} as from_day
    from new_versions
    inner join payees using (structure_id)
    inner join offsets
        on
            payees.timezone = offsets.zone
            and new_versions.created_at >= offsets.starts_at
            and new_versions.created_at < offsets.ends_at
),

changed_videos as (
    select
        creator_id,
        timezone,
        least(videos.posted_on, published.posted_on) as posted_on,
        least(videos.first_read_on, published.first_read_on) as first_read_on
    from videos
    full join {{ source('control', 'payout_videos') }} as published
        using (video_id, creator_id, from_at, timezone)
    where
        videos.until_at is distinct from published.until_at
        or videos.account_id is distinct from published.account_id
        or videos.is_counted is distinct from published.is_counted
        or videos.posted_at is distinct from published.posted_at
),

by_videos as (
    select
        payees.payee_id,
        if(
            payees.criteria_type = 'goals',
            least(changed_videos.posted_on, changed_videos.first_read_on),
            changed_videos.first_read_on
        ) as from_day
    from changed_videos
    inner join payees using (creator_id, timezone)
    where payees.criteria_type in ('cpm', 'view_threshold', 'goals')
),

-- Days of a zone other than the organization's begin up to 26 hours earlier.

by_readings as (
    select
        payees.payee_id,
        if(
            payees.timezone = payees.analytics_tz or touched.from_day = '-infinity',
            touched.from_day,
            touched.from_day - 2
        ) as from_day
    from {{ ref('int_touched_videos') }} as touched
    inner join videos using (video_id)
    inner join payees using (creator_id, timezone)
    where payees.criteria_type in ('cpm', 'view_threshold', 'goals')
),

-- Videos that count only in frozen periods (M13).

retained_videos as (
    (
        select * from {{ ref('int_payout_kept_videos') }}
        except
        select * from {{ source('control', 'payout_kept_videos') }}
    )
    union all
    (
        select * from {{ source('control', 'payout_kept_videos') }}
        except
        select * from {{ ref('int_payout_kept_videos') }}
    )
),

by_retained_videos as (
    select
        payee_id,
        date '-infinity' as from_day
    from retained_videos
),

-- Periods that began since the last published run.

last_periods as (
    select
        payees.payee_id,
        {{ next_period_start(
            "rules.period_start("
            ~ local_day(previous_as_of(), "before.utc_offset_seconds")
            ~ ", payees.period, payees.period_anchor)",
            "payees.period",
        ) }} as next_start,
        {{ local_day(as_of(), "now.utc_offset_seconds") }} as today
    from payees
    inner join offsets as before
        on
            payees.timezone = before.zone
            and {{ previous_as_of() }} >= before.starts_at
            and {{ previous_as_of() }} < before.ends_at
    inner join offsets as now
        on
            payees.timezone = now.zone
            and {{ as_of() }} >= now.starts_at
            and {{ as_of() }} < now.ends_at
    where payees.period is not null
),

by_time as (
    select
        payee_id,
        next_start as from_day
    from last_periods
    where next_start <= today
),

by_backfill as (
    select
        payee_id,
        cast({{ backfill_from() }} as date) as from_day
    from payees
    where {{ backfill_from() }} < timestamptz 'infinity'
),

touched as (
    {{ touched_by([
        "by_zone",
        "by_intervals",
        "by_versions",
        "by_videos",
        "by_readings",
        "by_retained_videos",
        "by_time",
        ref('int_touched_payees_by_conversions'),
        ref('int_touched_payees_by_goals'),
        "by_backfill",
    ]) }}
),

-- The evidence of a frozen cpm period with such videos includes everything carried into it.

reaching_back as (
    select
        touched.payee_id,
        date '-infinity' as from_day
    from touched
    inner join payees using (payee_id)
    inner join {{ ref('int_payout_kept_videos') }} as retained
        on touched.payee_id = retained.payee_id and touched.from_day <= retained.period_start + 31
    where payees.criteria_type = 'cpm'
),

all_touched as (
    select * from touched
    union all
    select * from reaching_back
)

select
    payee_id,
    min(from_day) as from_day
from all_touched
where from_day is not null
group by payee_id
