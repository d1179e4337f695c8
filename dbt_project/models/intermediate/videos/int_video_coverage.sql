with

videos as (
    select * from {{ ref('stg_videos') }}
    where is_counted and views_due_from is not null
),

removed as (
    select account_id
    from {{ ref('stg_accounts') }}
    where not is_active
),

zones as (
    select * from {{ ref('int_video_zones') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

todays as (
    {{ todays(as_of()) }}
),

-- Joined before offsets are looked up: otherwise each video would join the offsets of all zones.

placed as materialized (
    select
        videos.*,
        todays.zone,
        todays.today
    from videos
    inner join zones using (video_id)
    inner join todays on zones.analytics_tz = todays.zone
    anti join removed using (account_id)
),

dated as (
    select
        videos.video_id,
        videos.organization_id,
        videos.account_id,
        videos.today,
        {{ local_day("videos.views_due_from", "at_first.utc_offset_seconds") }} + 1 as first_day,
        {{ local_day("videos.views_due_until", "at_last.utc_offset_seconds") }} as until_day
    from placed as videos
    left join offsets as at_first
        on
            videos.zone = at_first.zone
            and videos.views_due_from >= at_first.starts_at
            and videos.views_due_from < at_first.ends_at
    left join offsets as at_last
        on
            videos.zone = at_last.zone
            and videos.views_due_until >= at_last.starts_at
            and videos.views_due_until < at_last.ends_at
),

due as (
    select
        *,
        greatest(first_day, today - {{ coverage_days() }}) as due_from,
        least(until_day, today) as due_before
    from dated
),

-- The days of every zone; the two extra ones are for zones whose date differs from UTC's.

read as (
    select
        video_id,
        day
    from {{ ref('int_video_high_water_marks') }}
    where
        view_first is not null
        and day >= {{ local_day(as_of(), 0) }} - {{ coverage_days() + 2 }}
)

select
    due.video_id,
    due.organization_id,
    due.account_id,
    due.today - {{ coverage_days() }} as from_day,
    due.today - 1 as to_day,
    cast(due.due_before - due.due_from as bigint) as readings_due,
    count(read.day) as readings_came
from due
left join read
    on
        due.video_id = read.video_id
        and due.due_from <= read.day
        and due.due_before > read.day
where due.due_from < due.due_before
group by all
