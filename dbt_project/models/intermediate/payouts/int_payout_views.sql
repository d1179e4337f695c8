{%- set periods = ref('int_payout_periods') %}

with

payees as (
    select * from {{ ref('int_payout_payees') }}
    where criteria_type = 'cpm'
),

periods as (
    select
        periods.payee_id,
        periods.period_start,
        rules.view_lifetime_days,
        rules.platform_scope,
        rules.platform,
        rules.account_id
    from {{ periods }} as periods
    inner join {{ ref('int_payout_cpm_rules') }} as rules using (version_id)
),

-- With is_counted in the condition, DuckDB joins by key; as a filter on one side, it would compare all pairs.

retained_videos as (
    select
        *,
        false as is_counted
    from {{ ref('int_payout_kept_videos') }}
),

-- A frozen period may pay views carried into it, so earlier days are needed too.

last_retained as (
    select
        payee_id,
        video_id,
        is_counted,
        max(period_start) as period_start
    from retained_videos
    group by all
),

videos as (
    select * from {{ ref('int_payout_videos') }}
    where is_counted or video_id in (select retained_videos.video_id from retained_videos)
),

days as (
    {{ payout_video_days("videos", least_of(periods, "period_start", "date")) }}
),

-- The mark at which a day of a run begins (M7): the largest count read before. Without one, 0 for a video
-- posted in the run, else its first count; if the gap before the run has no reading, the first count after
-- it, if larger.

opened as (
    select
        payees.payee_id,
        runs.from_day as run_from,
        rules.period_start(days.day, payees.period, payees.period_anchor) as period_start,
        days.*,
        case
            when days.high_water_mark_before is null
                then if(days.posted_on >= runs.from_day, 0, days.first_views)
            when days.read_before < runs.run_before_until
                then greatest(days.high_water_mark_before, days.first_views)
            else days.high_water_mark_before
        end as views_from
    from days
    inner join payees using (creator_id, timezone)
    inner join {{ ref('int_payout_runs') }} as runs
        on payees.payee_id = runs.payee_id and days.day >= runs.from_day and days.day < runs.until_day
),

-- Views that can count by the period's version (M8) and the video's status (M13).

in_scope as (
    select
        opened.payee_id,
        opened.period_start,
        opened.video_id,
        opened.account_id,
        opened.is_counted,
        opened.from_at,
        opened.run_from,
        opened.views_from,
        opened.high_water_mark,
        lifetimes.ends_at as lifetime_ends_at,
        lifetimes.last_views,
        lifetimes.ended_on = opened.day as is_last_day,
        coalesce(lifetimes.ended_on < opened.day, false) as is_over
    from opened
    inner join periods
        on
            opened.payee_id = periods.payee_id
            and opened.period_start = periods.period_start
            and {{ in_scope("periods", "opened") }}
    left join {{ ref('int_payout_lifetimes') }} as lifetimes
        on
            opened.video_id = lifetimes.video_id
            and opened.timezone = lifetimes.timezone
            and periods.view_lifetime_days = lifetimes.view_lifetime_days
    left join last_retained
        on
            opened.is_counted = last_retained.is_counted
            and opened.payee_id = last_retained.payee_id
            and opened.video_id = last_retained.video_id
    where opened.is_counted or opened.period_start <= last_retained.period_start
),

counted as (
    select
        *,
        case
            when is_over then null
            when is_last_day then least(high_water_mark, greatest(views_from, last_views))
            else high_water_mark
        end as views_to
    from in_scope
),

-- One unbroken rise for each video, owner and run.

gained as (
    select
        payee_id,
        period_start,
        video_id,
        account_id,
        is_counted,
        any_value(lifetime_ends_at) as lifetime_ends_at, -- one value: of the post, zone and version
        min(views_from) as views_from,
        coalesce(max(views_to), min(views_from)) as views_to,
        max(high_water_mark) > coalesce(max(views_to), min(views_from)) as is_cut
    from counted
    group by payee_id, period_start, video_id, account_id, is_counted, from_at, run_from
    having max(high_water_mark) > min(views_from)
),

retained_gains as (
    select
        gained.payee_id,
        gained.period_start,
        retained_videos.period_start as retained_in,
        sum(gained.views_to - gained.views_from) as views
    from gained
    inner join retained_videos
        on
            gained.is_counted = retained_videos.is_counted
            and gained.payee_id = retained_videos.payee_id
            and gained.video_id = retained_videos.video_id
            and gained.period_start < retained_videos.period_start
    group by all
),

retained_later as (
    select
        payee_id,
        period_start,
        list_sort(list({ 'retained_in': retained_in, 'views': cast(views as bigint) })) as retained_later
    from retained_gains
    group by payee_id, period_start
),

marked as (
    select
        gained.*,
        gained.is_counted or retained_videos.video_id is not null as counts
    from gained
    left join retained_videos
        on
            gained.is_counted = retained_videos.is_counted
            and gained.payee_id = retained_videos.payee_id
            and gained.period_start = retained_videos.period_start
            and gained.video_id = retained_videos.video_id
),

summed as (
    select
        payee_id,
        period_start,
        cast(coalesce(sum(views_to - views_from) filter (where counts), 0) as bigint) as views,
        cast(coalesce(sum(views_to - views_from) filter (where counts and not is_counted), 0) as bigint)
            as retained_views,
        coalesce(bool_or(is_cut) filter (where counts), false) as is_cut_by_lifetime,
        list_sort(list({
            'video_id': video_id,
            'account_id': account_id,
            'views_from': views_from,
            'views_to': views_to,
            'views': views_to - views_from,
            'lifetime_ends_at': lifetime_ends_at
        }) filter (where counts)) as videos
    from marked
    group by payee_id, period_start
)

select
    summed.*,
    retained_later.retained_later
from summed
left join retained_later using (payee_id, period_start)
