-- What the creators of payouts.sql are owed, computed plainly from all readings: running maxima of
-- every video, sums by day, a recursion over the days for the views that are carried, and evidence as
-- text. Reads the attached `warehouse` and writes `owed`. Variables: as_of, begins (the first reading).
create or replace table rises as
with

readings as (
    select
        deltas.video_id,
        videos.creator_id,
        videos.account_id,
        organizations.analytics_tz,
        deltas.captured_at,
        videos.posted_at,
        deltas.view_count,
        cast(make_timestamp(epoch_us(deltas.captured_at) + offsets.utc_offset_seconds::bigint * 1000000) as date)
            as day,
        cast(make_timestamp(epoch_us(videos.posted_at) + posting.utc_offset_seconds::bigint * 1000000) as date)
            as posted_on
    from warehouse.marts.video_deltas as deltas
    inner join warehouse.operational.videos as videos on deltas.video_id = videos.id
    inner join warehouse.operational.organizations as organizations on videos.organization_id = organizations.id
    inner join warehouse.operational.zone_offsets as offsets
        on
            organizations.analytics_tz = offsets.zone
            and deltas.captured_at >= offsets.starts_at
            and deltas.captured_at < offsets.ends_at
    inner join warehouse.operational.zone_offsets as posting
        on
            organizations.analytics_tz = posting.zone
            and videos.posted_at >= posting.starts_at
            and videos.posted_at < posting.ends_at
    where videos.tracking_status = 'auto_tracked' and deltas.view_count is not null
),

marked as (
    select
        *,
        max(view_count) over earlier as mark_before,
        greatest(mark_before, view_count) as mark
    from readings
    window earlier as (
        partition by video_id order by captured_at rows between unbounded preceding and 1 preceding
    )
)

select
    *,
    coalesce(mark_before, if(posted_on >= cast(getvariable('begins') as date), 0, view_count)) as mark_from
from marked
where day >= cast(getvariable('begins') as date);

-- By the day for views, within 120 days of posting.

create or replace table days as
with

of_videos as (
    select
        creator_id,
        day,
        video_id,
        account_id,
        min(mark_from) as views_from,
        max(mark) as views_to,
        any_value(posted_at) + interval 2880 hours as lifetime_ends_at
    from rises
    where captured_at <= posted_at + interval 2880 hours
    group by creator_id, day, video_id, account_id
),

gained as (
    select
        creator_id,
        day,
        cast(sum(views_to - views_from) as bigint) as impressions,
        to_json(list({
            'video_id': video_id,
            'account_id': account_id,
            'views_from': views_from,
            'views_to': views_to,
            'views': views_to - views_from,
            'lifetime_ends_at': lifetime_ends_at
        })) as evidence
    from of_videos
    group by creator_id, day
),

-- Days run to the day that it is in the organization's zone.

calendar as (
    select
        creators.id as creator_id,
        cast(unnest(generate_series(
            cast(cast(getvariable('begins') as date) as timestamp),
            date_trunc('day', make_timestamp(
                epoch_us(getvariable('as_of')) + offsets.utc_offset_seconds::bigint * 1000000
            )),
            interval 1 day
        )) as date) as day
    from warehouse.operational.creators as creators
    inner join warehouse.operational.organizations as organizations on creators.organization_id = organizations.id
    inner join warehouse.operational.zone_offsets as offsets
        on
            organizations.analytics_tz = offsets.zone
            and getvariable('as_of') >= offsets.starts_at
            and getvariable('as_of') < offsets.ends_at
)

select
    calendar.*,
    calendar.day - cast(getvariable('begins') as date) as number,
    coalesce(gained.impressions, 0) as impressions,
    gained.evidence
from calendar
left join gained using (creator_id, day);

create or replace table carried as
with recursive steps as (
    select
        creator_id,
        0::bigint as number,
        0::bigint as carry_in,
        impressions as payable
    from days
    where number = 0
    union all
    select
        steps.creator_id,
        days.number,
        if(steps.payable < 3000, steps.payable, 0) as carry_in,
        days.impressions + if(steps.payable < 3000, steps.payable, 0) as payable
    from steps
    inner join days on steps.creator_id = days.creator_id and steps.number + 1 = days.number
)

select * from steps;

create or replace table owed as
with

priced as (
    select
        days.creator_id,
        days.day,
        days.impressions,
        carried.carry_in,
        days.evidence,
        if(
            carried.payable < 3000,
            0::hugeint,
            least(
                least(carried.payable, 4000)::hugeint * 100500000
                + greatest(least(carried.payable, 12000) - 4000, 0)::hugeint * 80250000
                + greatest(carried.payable - 12000, 0)::hugeint * 33333333,
                900000000000
            )
        ) as billionths
    from days
    inner join carried using (creator_id, number)
),

totals as (
    select
        *,
        sum(billionths) over (partition by creator_id order by day) as total
    from priced
),

cpm as (
    select
        'cpm' as criteria_type,
        creator_id,
        day as period_start,
        null::uuid as subject_id,
        null::bigint as view_count,
        ((total * 2 + 1000000000) // 2000000000 - ((total - billionths) * 2 + 1000000000) // 2000000000)::bigint
            as amount_cents,
        evidence
    from totals
    where impressions > 0 or carry_in > 0
),

-- By the week for a goal of 60,000 views, from the first whole week on.

weeks as (
    select
        creator_id,
        cast(date_trunc('week', day) as date) as period_start,
        sum(mark - mark_from) as actual,
        least((sum(mark - mark_from) * 2000000000000 + 60000) // 120000, 1000000000000) as completion
    from rises
    where date_trunc('week', day) >= cast(getvariable('begins') as date)
    group by creator_id, date_trunc('week', day)
),

goals as (
    select
        'goals' as criteria_type,
        creator_id,
        period_start,
        null::uuid as subject_id,
        null::bigint as view_count,
        if(actual >= 60000, 5000, (5000 * completion + 1000000000000) // 2000000000000)::bigint as amount_cents,
        to_json({'actual': actual::bigint, 'target': 60000, 'completion': completion::bigint}) as evidence
    from weeks
    where completion >= 200000000000
),

-- Once for posts that reach a number of views, if they had fewer when the run began.

thresholds (view_count, cents) as (
    values (500000, 1000), (1000000, 2500), (2500000, 5000)
),

bonuses as (
    select
        'view_threshold' as criteria_type,
        rises.creator_id,
        min(rises.day) as period_start,
        rises.video_id as subject_id,
        thresholds.view_count::bigint as view_count,
        any_value(thresholds.cents)::bigint as amount_cents,
        to_json({'reached_at': min(rises.captured_at), 'views_read': arg_min(rises.view_count, rises.captured_at)})
            as evidence
    from rises
    inner join thresholds
        on
            rises.mark >= thresholds.view_count
            and rises.mark_from < thresholds.view_count
    group by rises.creator_id, rises.video_id, thresholds.view_count
)

select * from cpm
union all
select * from goals
union all
select * from bonuses
order by period_start;
