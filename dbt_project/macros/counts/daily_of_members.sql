{% macro daily_of_members(entity, entities, videos, accounts, touched) -%}
    {#- The days of creators or campaigns: what their videos and accounts gained on each day with
        readings or posts, and the running sums. `videos` (entity, video_id, appeared_on) and
        `accounts` (entity, account_id) hold each member once. -#}
    {%- set full = computes_everything() -%}
    {%- set from_day = "date '-infinity'" if full else least_of(touched, "from_day", "date") -%}
    with

    touched as (
        select * from {{ touched }}
    ),

    gained_by_videos as (
        select
            members.{{ entity }},
            daily.day
            {%- for counted in video_counters().values() %},
            sum(daily.new_{{ counted }}) as gained_{{ counted }}
            {%- endfor %}
        from {{ ref('video_daily') }} as daily
        inner join {{ videos }} as members using (video_id)
        {%- if not full %}
        inner join touched on members.{{ entity }} = touched.{{ entity }} and daily.day >= touched.from_day
        {%- endif %}
        where daily.day >= {{ from_day }}
        group by members.{{ entity }}, daily.day
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

    posted as (
        select
            members.{{ entity }},
            members.appeared_on as day,
            count(*) as gained_videos
        from {{ videos }} as members
        {%- if not full %}
        inner join touched on members.{{ entity }} = touched.{{ entity }} and members.appeared_on >= touched.from_day
        {%- endif %}
        where members.appeared_on is not null
        group by members.{{ entity }}, members.appeared_on
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
        union all by name
        select * from posted
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
