with

periods as (
    select * from {{ ref('int_goal_periods') }}
),

accounts as (
    select * from {{ ref('stg_accounts') }}
),

video_days as (
    select * from {{ ref('int_goal_video_days') }}
),

kinds as (
    select distinct
        creator_id,
        period
    from periods
),

-- What each account did in each period of its creator's goals, whatever their scopes.

posts as (
    select
        owners.creator_id,
        owners.account_id,
        kinds.period,
        {{ period_start("videos.posted_on", "kinds.period") }} as period_start,
        'posts' as metric,
        count(*) as gained
    from {{ ref('int_goal_videos') }} as videos
    inner join {{ ref('int_video_owners') }} as owners
        on
            videos.video_id = owners.video_id
            and videos.posted_at >= owners.from_at
            and videos.posted_at < owners.until_at
    inner join kinds using (creator_id)
    where videos.posted_at <= {{ as_of() }}
    group by all
),

rises as (
    select
        video_days.creator_id,
        video_days.account_id,
        kinds.period,
        {{ period_start("video_days.day", "kinds.period") }} as period_start,
        cast(sum(video_days.views_rise) as bigint) as views,
        cast(sum(video_days.engagement_rise) as bigint) as engagement
    from video_days
    inner join kinds using (creator_id)
    group by all
),

follower_ends as (
    select
        accounts.creator_id,
        days.account_id,
        kinds.period,
        {{ period_start("days.day", "kinds.period") }} as period_start,
        arg_min(days.first_followers, days.day) as first_followers,
        arg_max(days.last_followers, days.day) as last_followers
    from {{ ref('int_follower_days') }} as days
    inner join accounts using (account_id)
    inner join kinds using (creator_id)
    group by all
),

followers as (
    select
        creator_id,
        account_id,
        period,
        period_start,
        'followers' as metric,
        last_followers - coalesce(lag(last_followers) over earlier, first_followers) as gained
    from follower_ends
    window earlier as (partition by account_id, period order by period_start)
),

done as (
    select * from posts
    union all by name
    select
        * exclude (views, engagement),
        'views' as metric,
        views as gained
    from rises
    union all by name
    select
        * exclude (views, engagement),
        'engagement' as metric,
        engagement as gained
    from rises
    union all by name
    select * from followers
),

-- The first count of a post that was published since the goal counts is all gained (M7).

starts as (
    select * from video_days
    where views_start is not null or engagement_start > 0
),

begun as (
    select
        periods.goal_id,
        periods.period,
        periods.period_start,
        periods.metric,
        periods.platform_scope,
        periods.platform,
        periods.account_id as scope_account_id,
        periods.starts_at,
        periods.ends_at,
        starts.account_id,
        case periods.metric
            when 'views' then starts.views_start
            when 'engagement' then starts.engagement_start
        end as gained
    from periods
    inner join starts
        on
            periods.creator_id = starts.creator_id
            and periods.period_start = {{ period_start("starts.day", "periods.period") }}
            and periods.counts_from <= starts.posted_on
    where periods.metric in ('views', 'engagement')
),

gains as (
    select
        periods.goal_id,
        periods.period,
        periods.period_start,
        periods.metric,
        periods.platform_scope,
        periods.platform,
        periods.account_id as scope_account_id,
        periods.starts_at,
        periods.ends_at,
        done.account_id,
        done.gained
    from periods
    inner join done using (creator_id, period, period_start, metric)
    union all
    select * from begun
),

idle as (
    select
        account_id,
        deactivated_at as from_at,
        coalesce(reactivated_at, timestamptz 'infinity') as until_at
    from {{ ref('stg_account_deactivations') }}
    union all
    select
        account_id,
        coalesce(removed_at, timestamptz '-infinity') as from_at,
        timestamptz 'infinity' as until_at
    from accounts
    where not is_active
),

in_scope as (
    select gains.*
    from gains
    inner join accounts using (account_id)
    where
        gains.platform_scope = 'all'
        or (gains.platform_scope = 'platform' and gains.platform = accounts.platform)
        or (gains.platform_scope = 'account' and gains.scope_account_id = gains.account_id)
),

counted as (
    select in_scope.*
    from in_scope
    anti join idle
        on
            in_scope.metric = 'followers'
            and in_scope.account_id = idle.account_id
            and in_scope.starts_at >= idle.from_at
            and in_scope.ends_at <= idle.until_at
)

select
    goal_id,
    period,
    period_start,
    account_id,
    cast(sum(gained) as bigint) as gained
from counted
group by goal_id, period, period_start, account_id
