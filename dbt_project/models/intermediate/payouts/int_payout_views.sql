{%- set periods = ref('int_payout_periods') %}

with

payees as (
    select * from {{ ref('int_payout_payees') }}
    where criteria_type = 'cpm'
),

runs as (
    select * from {{ ref('int_payout_runs') }}
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

-- With is_counted in it, DuckDB joins by key; asked of one side alone, it compares all with all.

kept_videos as (
    select
        *,
        false as is_counted
    from {{ ref('int_payout_kept_videos') }}
),

videos as (
    select * from {{ ref('int_payout_videos') }}
    where is_counted or video_id in (select kept_videos.video_id from kept_videos)
),

lifetimes as (
    select * from {{ ref('int_payout_lifetimes') }}
),

days as (
    {{ payout_video_days("videos", least_of(periods, "period_start", "date")) }}
),

-- The mark at which each day of a run begins (M7).

opened as (
    select
        payees.payee_id,
        runs.from_day as run_from,
        rules.period_start(days.day, payees.period, payees.period_anchor) as period_start,
        days.*,
        {{ opening_mark("days", "runs") }} as views_from
    from days
    inner join payees using (creator_id, timezone)
    inner join runs
        on payees.payee_id = runs.payee_id and days.day >= runs.from_day and days.day < runs.until_day
),

-- What may count by the period's version (M8) and by the video's status (M13).

in_scope as (
    select
        opened.payee_id,
        opened.period_start,
        opened.video_id,
        opened.account_id,
        opened.from_at,
        opened.run_from,
        opened.views_from,
        opened.mark,
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
    left join lifetimes
        on
            opened.video_id = lifetimes.video_id
            and opened.timezone = lifetimes.timezone
            and periods.view_lifetime_days = lifetimes.view_lifetime_days
    left join kept_videos
        on
            opened.is_counted = kept_videos.is_counted
            and opened.payee_id = kept_videos.payee_id
            and opened.period_start = kept_videos.period_start
            and opened.video_id = kept_videos.video_id
    where opened.is_counted or kept_videos.video_id is not null
),

counted as (
    select
        *,
        case
            when is_over then null
            when is_last_day then least(mark, greatest(views_from, last_views))
            else mark
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
        any_value(lifetime_ends_at) as lifetime_ends_at, -- one value: of the post, zone and version
        min(views_from) as views_from,
        coalesce(max(views_to), min(views_from)) as views_to,
        max(mark) > coalesce(max(views_to), min(views_from)) as is_cut
    from counted
    group by payee_id, period_start, video_id, account_id, from_at, run_from
    having max(mark) > min(views_from)
)

select
    payee_id,
    period_start,
    cast(sum(views_to - views_from) as bigint) as views,
    bool_or(is_cut) as is_cut_by_lifetime,
    list_sort(list({
        'video_id': video_id,
        'account_id': account_id,
        'views_from': views_from,
        'views_to': views_to,
        'views': views_to - views_from,
        'lifetime_ends_at': lifetime_ends_at
    })) as videos
from gained
group by payee_id, period_start
