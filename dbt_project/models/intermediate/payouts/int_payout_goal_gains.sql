with

goals as (
    select * from {{ ref('int_payout_goal_periods') }}
),

accounts as (
    select * from {{ ref('stg_accounts') }}
),

videos as (
    select * from {{ ref('int_payout_goal_videos') }}
),

kinds as (
    select distinct
        creator_id,
        timezone,
        period
    from goals
),

rises as not materialized (
    {{ video_rises("videos", least_of(ref('int_payout_goal_periods'), "period_start", "date")) }}
),

posts as (
    select * from videos
    where posted_at >= from_at and posted_at < until_at and posted_at <= {{ as_of() }}
),

-- What counted posts brought, and followers: summed up once by account and period, whatever goals
-- look at them.

rises_of_periods as (
    select
        rises.creator_id,
        rises.account_id,
        rises.timezone,
        kinds.period,
        {{ period_start("rises.day", "kinds.period") }} as period_start,
        sum(rises.views_rise) as views,
        sum(rises.engagement_rise) as engagement
    from rises
    inner join kinds using (creator_id, timezone)
    where rises.is_counted
    group by all
),

of_accounts as (
    select
        * exclude (views, engagement),
        'views' as metric,
        views as gained
    from rises_of_periods
    union all
    select
        * exclude (views, engagement),
        'engagement' as metric,
        engagement as gained
    from rises_of_periods
    union all
    select
        posts.creator_id,
        posts.account_id,
        posts.timezone,
        kinds.period,
        {{ period_start("posts.posted_on", "kinds.period") }} as period_start,
        'posts' as metric,
        count(*) as gained
    from posts
    inner join kinds using (creator_id, timezone)
    where posts.is_counted
    group by all
    union all by name
    ({{ follower_growth(ref('int_payout_follower_days'), "kinds") }})
),

-- What depends on the goal or on the accrual, post by post: a first count, which is all gained where
-- it was posted since the goal counts (M7), and what only something frozen goes on counting (M13).

single_rises as (
    select * from rises
    where views_start > 0 or engagement_start > 0 or not is_counted
),

of_posts as (
    select
        video_id,
        creator_id,
        account_id,
        timezone,
        is_counted,
        posted_on,
        day,
        'views' as metric,
        if(is_counted, 0, views_rise) as gained,
        coalesce(views_start, 0) as begun_with
    from single_rises
    union all
    select
        video_id,
        creator_id,
        account_id,
        timezone,
        is_counted,
        posted_on,
        day,
        'engagement' as metric,
        if(is_counted, 0, engagement_rise) as gained,
        engagement_start as begun_with
    from single_rises
    union all
    select
        video_id,
        creator_id,
        account_id,
        timezone,
        is_counted,
        posted_on,
        posted_on as day,
        'posts' as metric,
        1 as gained,
        0 as begun_with
    from posts
    where not is_counted
),

gains as (
    select
        goals.*,
        of_accounts.account_id as gaining_account_id,
        of_accounts.gained
    from goals
    inner join of_accounts using (creator_id, timezone, period, period_start, metric)
    union all
    select
        goals.*,
        of_posts.account_id as gaining_account_id,
        of_posts.gained + if(of_posts.posted_on >= goals.counts_from, of_posts.begun_with, 0) as gained
    from goals
    inner join of_posts
        on
            goals.creator_id = of_posts.creator_id
            and goals.timezone = of_posts.timezone
            and goals.metric = of_posts.metric
            and goals.period_start <= of_posts.day
            and goals.period_end >= of_posts.day
    left join {{ ref('int_payout_kept_videos') }} as kept
        on
            goals.payee_id = kept.payee_id
            and goals.period_start = kept.period_start
            and of_posts.video_id = kept.video_id
    where of_posts.is_counted or kept.video_id is not null
),

in_scope as (
    select gains.*
    from gains
    inner join accounts on gains.gaining_account_id = accounts.account_id
    where
        coalesce(gains.account_id = accounts.account_id, true)
        and coalesce(gains.platform = accounts.platform, true)
),

counted as (
    select in_scope.*
    from in_scope
    anti join {{ ref('int_idle_accounts') }} as idle
        on
            in_scope.metric = 'followers'
            and in_scope.gaining_account_id = idle.account_id
            and in_scope.starts_at >= idle.from_at
            and in_scope.ends_at <= idle.until_at
)

select
    goals.payee_id,
    goals.period_start,
    goals.goal_id,
    goals.metric,
    goals.target_value,
    cast(coalesce(sum(counted.gained), 0) as bigint) as actual
from goals
left join counted using (payee_id, period_start, goal_id)
group by all
