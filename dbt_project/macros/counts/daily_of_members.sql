{% macro daily_of_members(entity, entities, days, accounts, touched) -%}
    {#- The days of creators or campaigns: what their videos and accounts gained on each day with readings or
        posts, and the running sums. `days` is what the videos gained (see days_of_videos), in one or more
        rows a day; `accounts` (entity, account_id) has each member once. -#}
    {%- set before %}
        select
            old.{{ entity }},
            date '-infinity' as day
            {%- for counted in video_counters().values() %},
            arg_max(old.cumulative_{{ counted }}, old.day) as gained_{{ counted }}
            {%- endfor %},
            arg_max(old.followers, old.day) as gained_followers,
            arg_max(old.cumulative_videos, old.day) as gained_videos
        from {{ this }} as old
        inner join {{ touched }} as touched
            on old.{{ entity }} = touched.{{ entity }} and old.day < touched.from_day
        group by old.{{ entity }}
    {%- endset -%}
    with

    gained_by_videos as (
        select
            {{ entity }},
            day
            {%- for counted in video_counters().values() %},
            sum(new_{{ counted }}) as gained_{{ counted }}
            {%- endfor %},
            sum(new_videos) as gained_videos
        from ({{ scoped(days, touched, entity, at="day") }})
        group by {{ entity }}, day
    ),

    members as (
        {{ scoped(accounts, touched, entity, tells=true) }}
    ),

    gained_by_accounts as (
        select
            members.{{ entity }},
            daily.day,
            sum(daily.new_followers) as gained_followers
        from {{ ref('account_daily') }} as daily
        inner join members on daily.account_id = members.account_id and daily.day >= members.touched_from
        where daily.day >= {{ least_of(touched, "from_day", "date") }}
        group by members.{{ entity }}, daily.day
    ),

    parts as (
        select * from gained_by_videos
        union all by name
        select * from gained_by_accounts
        {{ opening(before) }}
    ),

    gained as (
        select
            {{ entity }},
            day
            {%- for counted in video_counters().values() %},
            cast(sum(gained_{{ counted }}) as bigint) as gained_{{ counted }}
            {%- endfor %},
            cast(sum(gained_followers) as bigint) as gained_followers,
            cast(coalesce(sum(gained_videos), 0) as bigint) as new_videos
        from parts
        group by {{ entity }}, day
    ),

    summed as (
        select
            {{ entity }},
            day,
            {%- for counted in video_counters().values() %}
            cast(sum(gained_{{ counted }}) over until_day as bigint) as cumulative_{{ counted }},
            if(cumulative_{{ counted }} is null, null, coalesce(gained_{{ counted }}, 0)) as new_{{ counted }},
            {%- endfor %}
            new_videos,
            cast(sum(new_videos) over until_day as bigint) as cumulative_videos,
            cast(sum(gained_followers) over until_day as bigint) as followers,
            if(followers is null, null, coalesce(gained_followers, 0)) as new_followers
        from gained
        window until_day as (partition by {{ entity }} order by day)
    )

    select
        entities.organization_id,
        entities.project_id,
        summed.{{ entity }},
        summed.day,
        {%- for counted in video_counters().values() %}
        summed.new_{{ counted }},
        summed.cumulative_{{ counted }},
        {%- endfor %}
        summed.new_videos,
        summed.cumulative_videos,
        summed.new_followers,
        summed.followers
    from summed
    inner join {{ entities }} as entities using ({{ entity }})
    where summed.day > '-infinity'
    order by summed.day
{%- endmacro %}
