{% macro goal_gains(goals, videos, follower_days, since, kept=none) -%}
    {#- What each account gained in judged periods (money.md M20): the columns of `goals`, with
        gaining_account_id and gained, in one or more rows, of the accounts in the goal's scope.

        `goals` has creator_id, timezone, metric, period, period_start, period_end, starts_at, ends_at,
        counts_from, platform and account_id; `videos` what video_rises takes, with is_counted, posted_at
        and posted_on; `follower_days` what follower_growth takes; `since` is a literal day. `kept` (payee_id, period_start, video_id) are posts that count no more but
        where something frozen goes on counting them (M13). -#}
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
        ({{ follower_growth(follower_days, "kinds") }})
    ),

    -- What depends on the goal or on the accrual, post by post: a first count, which is all gained where
    -- it was posted since the goal counts (M7), and what only something frozen goes on counting.

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
        from {{ goals }} as goals
        inner join of_accounts using (creator_id, timezone, period, period_start, metric)
        union all
        select
            goals.*,
            of_posts.account_id as gaining_account_id,
            of_posts.gained + if(of_posts.posted_on >= goals.counts_from, of_posts.begun_with, 0) as gained
        from {{ goals }} as goals
        inner join of_posts
            on
                goals.creator_id = of_posts.creator_id
                and goals.timezone = of_posts.timezone
                and goals.metric = of_posts.metric
                and goals.period_start <= of_posts.day
                and goals.period_end >= of_posts.day
        {%- if kept %}
        left join {{ kept }} as kept
            on
                goals.payee_id = kept.payee_id
                and goals.period_start = kept.period_start
                and of_posts.video_id = kept.video_id
        where of_posts.is_counted or kept.video_id is not null
        {%- endif %}
    ),

    in_scope as (
        select gains.*
        from gains
        inner join {{ ref('stg_accounts') }} as accounts on gains.gaining_account_id = accounts.account_id
        where
            coalesce(gains.account_id = accounts.account_id, true)
            and coalesce(gains.platform = accounts.platform, true)
    )

    select in_scope.*
    from in_scope
    anti join {{ ref('int_idle_accounts') }} as idle
        on
            in_scope.metric = 'followers'
            and in_scope.gaining_account_id = idle.account_id
            and in_scope.starts_at >= idle.from_at
            and in_scope.ends_at <= idle.until_at
{%- endmacro %}
