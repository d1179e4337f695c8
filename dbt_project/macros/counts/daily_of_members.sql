{% macro daily_of_members(entity, entities, days, accounts, touched) -%}
    {#- The days of creators or campaigns: what their videos and accounts gained on each day with
        readings or posts, and the running sums. `days` is what the videos gained (see
        days_of_videos), in one or more rows a day; `accounts` (entity, account_id) holds each
        member once. -#}
    {%- set full = computes_everything() -%}
    {%- set from_day = "date '-infinity'" if full else least_of(touched, "from_day", "date") -%}
    with

    touched as (
        select * from {{ touched }}
    ),

    gained_by_videos as (
        select
            days.{{ entity }},
            days.day
            {%- for counted in video_counters().values() %},
            sum(days.new_{{ counted }}) as gained_{{ counted }}
            {%- endfor %},
            sum(days.new_videos) as gained_videos
        from {{ days }} as days
        {%- if not full %}
        inner join touched on days.{{ entity }} = touched.{{ entity }} and days.day >= touched.from_day
        {%- endif %}
        where days.day >= {{ from_day }}
        group by days.{{ entity }}, days.day
    ),

    gained_by_accounts as (
        select
            members.{{ entity }},
            daily.day,
            sum(daily.new_followers) as gained_followers
        from {{ ref('account_daily') }} as daily
        inner join {{ accounts }} as members using (account_id)
        {%- if not full %}
        inner join touched on members.{{ entity }} = touched.{{ entity }} and daily.day >= touched.from_day
        {%- endif %}
        where daily.day >= {{ from_day }}
        group by members.{{ entity }}, daily.day
    ),
    {%- if not full %}

    past as (
        select
            old.{{ entity }},
            date '-infinity' as day
            {%- for counted in video_counters().values() %},
            arg_max(old.cumulative_{{ counted }}, old.day) as gained_{{ counted }}
            {%- endfor %},
            arg_max(old.followers, old.day) as gained_followers,
            arg_max(old.cumulative_videos, old.day) as gained_videos
        from {{ this }} as old
        inner join touched on old.{{ entity }} = touched.{{ entity }} and old.day < touched.from_day
        group by old.{{ entity }}
    ),
    {%- endif %}

    parts as (
        select * from gained_by_videos
        union all by name
        select * from gained_by_accounts
        {%- if not full %}
        union all by name
        select * from past
        {%- endif %}
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
