{{ config(
    materialized="continued",
    meta={"key": "video_id", "replaces": "days", "touched": "int_touched_suspects"}
) }}

{%- set touched = ref('int_touched_suspects') %}

with

readings as (
    {{ scoped(ref('video_deltas'), touched, "video_id", at="captured_at", since="readings_from") }}
),

-- A rounded count jumps by itself.

steps as (
    select
        video_id,
        captured_at,
        is_first,
        view_count,
        lag(captured_at) over earlier as since_at,
        coalesce(lag(view_count) over earlier, if(is_first, 0, null)) as views_before,
        view_count - views_before as views_gained,
        coalesce(lag(like_count) over earlier, if(is_first, 0, null)) as likes_before,
        like_count - likes_before as likes_gained,
        coalesce(lag(comment_count) over earlier, if(is_first, 0, null)) as comments_before,
        comment_count - comments_before as comments_gained,
        first_value(captured_at) over before_it as begun_at,
        first_value(view_count) over before_it as begun_with,
        last_value(captured_at) over after_it as ended_at,
        last_value(view_count) over after_it as ended_with
    from readings
    where is_exact and view_count is not null
    window
        earlier as (partition by video_id order by captured_at),
        before_it as (
            partition by video_id order by captured_at
            range between interval 64 hours preceding and interval 1 microsecond preceding
        ),
        after_it as (
            partition by video_id order by captured_at
            range between interval 1 microsecond following and {{ neighbourhood() }} following
        )
),

responded as (
    select
        *,
        if(
            likes_gained is null and comments_gained is null,
            null,
            coalesce(likes_gained, 0) + coalesce(comments_gained, 0)
        )
            as responses_gained,
        if(likes_gained is null, 0, likes_before) + if(comments_gained is null, 0, comments_before)
            as responses_before,
        cast(cast(views_gained as hugeint) * 86400000000 // epoch_us(captured_at - since_at) as bigint)
            as a_day
    from steps
    where is_first or since_at >= captured_at - {{ same_as_before() }}
),

compared as (
    select
        *,
        count(a_day) over last_four as even_steps,
        min(since_at) over last_four as even_since,
        first_value(views_before) over last_four as even_with,
        min(a_day) over last_four as slowest,
        max(a_day) over last_four as fastest
    from responded
    window last_four as (
        partition by video_id order by captured_at
        rows between 3 preceding and current row
    )
),

judged as (
    select
        * exclude (is_first, likes_before, likes_gained, comments_before, comments_gained),
        {{ local_day("captured_at", 0) }} as day,
        list_filter(
            [
                if({{ is_silent() }}, 'silent_views', null),
                if({{ may_be_silent() }}, 'silent_views_of_a_new_post', null),
                if({{ is_single_step() }}, 'single_step', null),
                if({{ is_fall() }}, 'fall', null),
                if({{ may_be_revived() }}, 'late_revival', null)
            ],
            lambda reason: reason is not null
        ) as reasons
    from compared
),

suspects as (
    select * from judged
    where len(reasons) > 0
)

{{ scoped("suspects", touched, "video_id", at="day", since="from_day") }}
