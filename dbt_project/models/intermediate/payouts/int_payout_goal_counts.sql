with

goals as (
    select * from {{ ref('int_payout_goal_periods') }}
),

retained as (
    select distinct
        payee_id,
        period_start,
        video_id
    from {{ ref('int_payout_kept_videos') }}
),

kinds as (
    select distinct
        creator_id,
        timezone,
        period
    from goals
),

rises as not materialized (
    {{ video_rises(
        ref('int_payout_goal_videos'), least_of(ref('int_payout_goal_periods'), "period_start", "date")
    ) }}
),

-- Marks rise without gaps, so a mark's start is its end minus its rise (M7).

of_posts as (
    select
        rises.video_id,
        rises.account_id,
        rises.creator_id,
        rises.timezone,
        rises.from_at,
        rises.posted_at,
        rises.posted_on,
        rises.is_counted,
        kinds.period,
        rules.period_start(rises.day, kinds.period) as period_start,
        [
            {%- for counter, plural in video_counters().items() %}
                {
                    'counter': '{{ plural }}',
                    'count_from': cast(
                        max(rises.{{ counter }}_mark) - coalesce(sum(rises.{{ counter }}_rise), 0) as bigint
                    ),
                    'count_to': max(rises.{{ counter }}_mark),
                    'is_first': bool_or(rises.{{ counter }}_start is not null)
                }{{ "," if not loop.last }}
            {%- endfor %}
        ] as counters
    from rises
    inner join kinds using (creator_id, timezone)
    group by all
),

counted as (
    select
        * exclude (counters, from_at),
        unnest(counters) as risen
    from of_posts
),

counts as (
    select
        * exclude (risen),
        struct_extract(risen, 'counter') as counter,
        struct_extract(risen, 'count_from') as count_from,
        struct_extract(risen, 'count_to') as count_to,
        struct_extract(risen, 'is_first') as is_first,
        if(counter = 'views', 'views', 'engagement') as metric
    from counted
    where count_to > count_from or (is_first and count_to > 0)
    union all by name
    select
        videos.video_id,
        videos.account_id,
        videos.creator_id,
        videos.timezone,
        videos.posted_at,
        videos.posted_on,
        videos.is_counted,
        kinds.period,
        rules.period_start(videos.posted_on, kinds.period) as period_start,
        'posts' as counter,
        'posts' as metric
    from {{ ref('int_payout_goal_videos') }} as videos
    inner join kinds using (creator_id, timezone)
    where
        videos.posted_at >= videos.from_at
        and videos.posted_at < videos.until_at
        and videos.posted_at <= {{ as_of() }}
    union all by name
    select
        * exclude (gained),
        'followers' as counter,
        true as is_counted
    from ({{ follower_growth(ref('int_payout_follower_days'), "kinds") }})
),

in_scope as (
    select distinct
        goals.payee_id,
        goals.period_start,
        goals.starts_at,
        goals.ends_at,
        counts.metric,
        counts.counter,
        counts.video_id,
        counts.account_id,
        accounts.platform,
        counts.posted_at,
        counts.posted_on,
        counts.count_from,
        counts.from_day,
        counts.count_to,
        counts.to_day,
        counts.is_first
    from goals
    inner join counts using (creator_id, timezone, period, period_start, metric)
    inner join {{ ref('stg_accounts') }} as accounts on counts.account_id = accounts.account_id
    left join retained
        on
            goals.payee_id = retained.payee_id
            and goals.period_start = retained.period_start
            and counts.video_id = retained.video_id
    where
        coalesce(goals.account_id = accounts.account_id, true)
        and coalesce(goals.platform = accounts.platform, true)
        and (counts.is_counted or retained.video_id is not null)
),

-- With the metric in the condition, DuckDB joins by account; as a filter on one side, it would compare all
-- pairs.

idle as (
    select
        *,
        'followers' as metric
    from {{ ref('int_idle_accounts') }}
)

select
    in_scope.payee_id,
    in_scope.period_start,
    in_scope.metric,
    in_scope.counter,
    in_scope.video_id,
    in_scope.account_id,
    in_scope.platform,
    in_scope.posted_at,
    in_scope.posted_on,
    in_scope.count_from,
    in_scope.from_day,
    in_scope.count_to,
    in_scope.to_day,
    in_scope.is_first
from in_scope
anti join idle
    on
        in_scope.metric = idle.metric
        and in_scope.account_id = idle.account_id
        and in_scope.starts_at >= idle.from_at
        and in_scope.ends_at <= idle.until_at
