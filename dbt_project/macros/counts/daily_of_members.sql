{% macro daily_of_members(entity, videos, accounts) -%}
    {#- The days of a creator or a campaign: what its videos and accounts gained on each day with
        readings or posts, and the running sums. Expects the CTEs video_daily and account_daily,
        `videos` (entity, video_id, appeared_on) and `accounts` (entity, account_id), each member
        once. -#}
    gained_by_videos as (
        select
            members.{{ entity }},
            video_daily.day
            {%- for counted in video_counters().values() %},
            sum(video_daily.new_{{ counted }}) as gained_{{ counted }}
            {%- endfor %}
        from {{ videos }} as members
        inner join video_daily using (video_id)
        group by members.{{ entity }}, video_daily.day
    ),

    gained_by_accounts as (
        select
            members.{{ entity }},
            account_daily.day,
            sum(account_daily.new_followers) as gained_followers
        from {{ accounts }} as members
        inner join account_daily using (account_id)
        group by members.{{ entity }}, account_daily.day
    ),

    posted as (
        select
            {{ entity }},
            appeared_on as day,
            count(*) as new_videos
        from {{ videos }}
        where appeared_on is not null
        group by {{ entity }}, appeared_on
    ),

    gained as (
        select
            {{ entity }},
            day
            {%- for counted in video_counters().values() %},
            sum(gained_{{ counted }}) as gained_{{ counted }}
            {%- endfor %},
            sum(gained_followers) as gained_followers,
            coalesce(sum(new_videos), 0) as new_videos
        from (
            select * from gained_by_videos
            union all by name
            select * from gained_by_accounts
            union all by name
            select * from posted
        )
        group by {{ entity }}, day
    ),

    summed as (
        select
            {{ entity }},
            day,
            {%- for counted in video_counters().values() %}
            cast(sum(gained_{{ counted }}) over until_day as bigint) as cumulative_{{ counted }},
            if(cumulative_{{ counted }} is null, null, coalesce(gained_{{ counted }}, 0))::bigint as new_{{ counted }},
            {%- endfor %}
            cast(new_videos as bigint) as new_videos,
            cast(sum(new_videos) over until_day as bigint) as cumulative_videos,
            cast(sum(gained_followers) over until_day as bigint) as followers,
            if(followers is null, null, coalesce(gained_followers, 0))::bigint as new_followers
        from gained
        window until_day as (partition by {{ entity }} order by day)
    )
{%- endmacro %}
