{% macro days_of_videos(keys, videos, touched) -%}
    {#- The sums of what videos gained on each day with readings or posts. `videos` (keys, video_id,
        appeared_on) has each member once; `touched` (the first key, from_day) tells what an incremental run
        computes. A count unknown to all of the day's readings is null. -#}
    {%- set named -%}
    {%- for key in keys %}
            members.{{ key }},
    {%- endfor -%}
    {%- endset -%}
    with

    members as (
        {{ scoped(videos, touched, keys[0], tells=true) }}
    ),

    read as (
        select
            {{- named }}
            daily.day
            {%- for counted in video_counters().values() %},
            sum(daily.new_{{ counted }}) as new_{{ counted }}
            {%- endfor %}
        from {{ ref('video_daily') }} as daily
        inner join members on daily.video_id = members.video_id and daily.day >= members.touched_from
        where daily.day >= {{ least_of(touched, "from_day", "date") }}
        group by all
    ),

    posted as (
        select
            {{- named }}
            members.appeared_on as day,
            count(*) as new_videos
        from members
        where members.appeared_on >= members.touched_from
        group by all
    ),

    parts as (
        select * from read
        union all by name
        select * from posted
    )

    select
        {%- for key in keys %}
        {{ key }},
        {%- endfor %}
        day
        {%- for counted in video_counters().values() %},
        cast(sum(new_{{ counted }}) as bigint) as new_{{ counted }}
        {%- endfor %},
        cast(coalesce(sum(new_videos), 0) as bigint) as new_videos
    from parts
    group by all
{%- endmacro %}
