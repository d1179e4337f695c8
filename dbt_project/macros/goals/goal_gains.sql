{% macro goal_gains(goals, videos, follower_days, since) -%}
    {#- What each account gained in judged periods (money.md M20): the columns of `goals`, with
        gaining_account_id and gained, in one or more rows, for the accounts in the goal's scope.

        `goals` has creator_id, timezone, metric, period, period_start, period_end, starts_at, ends_at,
        counts_from, platform and account_id; `videos`, of counted posts, has the columns of video_rises plus
        posted_at and posted_on; `follower_days` has those of follower_growth; `since` is a literal day. -#}
    with

    kinds as (
        select distinct
            creator_id,
            timezone,
            period
        from {{ goals }}
    ),

    rises as not materialized (
        {{ video_rises(videos, since) }}
    ),

    posts as (
        select * from {{ videos }}
        where posted_at >= from_at and posted_at < until_at and posted_at <= {{ as_of() }}
    ),

    -- Gains of posts and followers, summed once by account and period for all their goals. First counts are
    -- listed in the same pass, which saves a second pass over the marks.

    rises_of_periods as (
        select
            rises.creator_id,
            rises.account_id,
            rises.timezone,
            kinds.period,
            rules.period_start(rises.day, kinds.period) as period_start,
            sum(rises.views_rise) as views,
            sum(rises.engagement_rise) as engagement,
            list({ -- in any order: unnested below
                'posted_on': rises.posted_on,
                'views': coalesce(rises.views_start, 0),
                'engagement': rises.engagement_start
            }) filter (where rises.views_start > 0 or rises.engagement_start > 0) as starts
        from rises
        inner join kinds using (creator_id, timezone)
        group by all
    ),

    of_accounts as (
        select
            * exclude (views, engagement, starts),
            'views' as metric,
            views as gained
        from rises_of_periods
        union all
        select
            * exclude (views, engagement, starts),
            'engagement' as metric,
            engagement as gained
        from rises_of_periods
        union all
        select
            posts.creator_id,
            posts.account_id,
            posts.timezone,
            kinds.period,
            rules.period_start(posts.posted_on, kinds.period) as period_start,
            'posts' as metric,
            count(*) as gained
        from posts
        inner join kinds using (creator_id, timezone)
        group by all
        union all by name
        (select * exclude (count_from, from_day, count_to, to_day) from ({{ follower_growth(follower_days, "kinds") }}))
    ),

    -- The first count is gained in full if its post was posted since the goal counts (M7).

    starts as (
        select
            * exclude (views, engagement, starts),
            unnest(starts, max_depth := 2)
        from rises_of_periods
    ),

    begun as (
        select
            * exclude (views, engagement),
            'views' as metric,
            views as gained
        from starts
        union all
        select
            * exclude (views, engagement),
            'engagement' as metric,
            engagement as gained
        from starts
    ),

    gains as (
        select
            goals.*,
            of_accounts.account_id as gaining_account_id,
            of_accounts.gained
        from {{ goals }} as goals
        inner join of_accounts using (creator_id, timezone, period, period_start, metric)
        union all
        select
            goals.*,
            begun.account_id as gaining_account_id,
            begun.gained
        from {{ goals }} as goals
        inner join begun using (creator_id, timezone, period, period_start, metric)
        where begun.posted_on >= goals.counts_from
    ),

    in_scope as (
        select gains.*
        from gains
        inner join {{ ref('stg_accounts') }} as accounts on gains.gaining_account_id = accounts.account_id
        where
            coalesce(gains.account_id = accounts.account_id, true)
            and coalesce(gains.platform = accounts.platform, true)
    ),

    -- With the metric in the condition, DuckDB joins by account; as a filter on one side, it would compare
    -- all pairs.

    idle as (
        select
            *,
            'followers' as metric
        from {{ ref('int_idle_accounts') }}
    )

    select in_scope.*
    from in_scope
    anti join idle
        on
            in_scope.metric = idle.metric
            and in_scope.gaining_account_id = idle.account_id
            and in_scope.starts_at >= idle.from_at
            and in_scope.ends_at <= idle.until_at
{%- endmacro %}

