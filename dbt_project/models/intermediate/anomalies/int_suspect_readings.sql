{{ config(
    materialized="continued",
    meta={"key": "video_id", "replaces": "days", "touched": "int_touched_suspects"}
) }}

{%- set touched = ref('int_touched_suspects') %}

with

readings as (
    {{ scoped(ref('video_deltas'), touched, "video_id", at="captured_at", since="readings_from") }}
),

-- A rounded count jumps by itself. Instants are microseconds here: every reading is looked at, and to
-- reckon with instants in zones costs more than all the rules.

exact_readings as (
    select
        video_id,
        captured_at,
        epoch_us(captured_at) as captured_us,
        is_first,
        view_count,
        like_count,
        comment_count,
        share_count
    from readings
    where is_exact and view_count is not null
),

steps as (
    select
        video_id,
        captured_at,
        captured_us,
        is_first,
        view_count,
        coalesce(lag(view_count) over earlier, if(is_first, 0, null)) as views_before,
        view_count - views_before as views_gained,
        coalesce(lag(like_count) over earlier, if(is_first, 0, null)) as likes_before,
        like_count - likes_before as likes_gained,
        coalesce(lag(comment_count) over earlier, if(is_first, 0, null)) as comments_before,
        comment_count - comments_before as comments_gained,
        coalesce(lag(share_count) over earlier, if(is_first, 0, null)) as shares_before,
        share_count - shares_before as shares_gained,
        lag(captured_us) over earlier as since_us,
        lag(captured_us, 2) over earlier as since_us_2,
        lag(captured_us, 3) over earlier as since_us_3,
        lag(captured_us, 4) over earlier as since_us_4,
        lag(view_count, 2) over earlier as views_before_2,
        lag(view_count, 3) over earlier as views_before_3,
        lag(view_count, 4) over earlier as views_before_4
    from exact_readings
    window earlier as (partition by video_id order by captured_us)
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
            as responses_before
    from steps
    where is_first or since_us >= captured_us - epoch_us({{ same_as_before() }})
),

steps_of_the_week as (
    select
        *,
        coalesce({{ is_silent() }}, false) and not {{ is_shared() }} as is_silent,
        first_value(views_before) over week as week_views_before,
        first_value(responses_before) over week as week_responses_before,
        first_value(shares_before) over week as week_shares_before,
        first_value(since_us) over week as week_since_us,
        first_value(captured_us) over week as week_counted_us,
        cast(sum(if(is_silent, 0, views_gained)) over week as bigint) as week_views_gained,
        cast(sum(if(is_silent, 0, responses_gained)) over week as bigint) as week_responses_gained,
        cast(sum(if(is_silent, 0, shares_gained)) over week as bigint) as week_shares_gained,
        bool_and(coalesce(likes_gained >= 0 and comments_gained >= 0, false)) over week
            as are_week_responses_known
    from responded
    window
        week as (
            partition by video_id
            order by captured_us range between {{ same_as_before_us() }} preceding and current row
        )
),

-- Few readings get past this, so that what is dear is asked of few.

doubtful as (
    select * from steps_of_the_week
    where
        is_silent
        or ({{ is_slowly_silent() }})
        or ({{ may_be_silent() }})
        or ({{ is_large_step() }})
        or ({{ is_fall() }})
        or ({{ may_be_revived() }})
),

surroundings as (
    select
        doubtful.video_id,
        doubtful.captured_us,
        min(around.captured_at) filter (around.captured_us < doubtful.captured_us) as begun_at,
        arg_min( -- one value: a post is read once at an instant
            around.view_count, around.captured_us
        ) filter (around.captured_us < doubtful.captured_us) as begun_with,
        max(around.captured_at) filter (around.captured_us > doubtful.captured_us) as ended_at,
        arg_max( -- one value: the same
            around.view_count, around.captured_us
        ) filter (around.captured_us > doubtful.captured_us) as ended_with
    from doubtful
    inner join exact_readings as around
        on
            doubtful.video_id = around.video_id
            and around.captured_us >= doubtful.captured_us - epoch_us(interval 64 hours)
            and around.captured_us <= doubtful.captured_us + epoch_us({{ neighbourhood() }})
    group by doubtful.video_id, doubtful.captured_us
),

compared as (
    select
        doubtful.*,
        surroundings.* exclude (video_id, captured_us)
    from doubtful
    inner join surroundings using (video_id, captured_us)
),

judged as (
    select
        *,
        make_timestamptz(since_us) as since_at,
        {{ may_be_revived() }} as is_even,
        {{ is_slowly_silent() }} as is_slow,
        list_filter(
            [
                if(is_silent, 'silent_views', null),
                if(is_slow, 'silent_views_of_a_week', null),
                if({{ may_be_silent() }}, 'silent_views_of_a_new_post', null),
                if({{ is_single_step() }}, 'single_step', null),
                if({{ is_fall() }}, 'fall', null),
                if(is_even, 'late_revival', null)
            ],
            lambda reason: reason is not null
        ) as reasons
    from compared
),

suspects as (
    select
        video_id,
        captured_at,
        {{ local_day("captured_at", 0) }} as day,
        since_at,
        view_count,
        views_before,
        views_gained,
        responses_before,
        responses_gained,
        begun_at,
        begun_with,
        ended_at,
        ended_with,
        if(is_even, make_timestamptz(since_us_4), null) as even_since,
        if(is_even, make_timestamptz(since_us_3), null) as even_counted_at,
        if(is_even, views_before_4, null) as even_with,
        cast(if(is_even, {{ slowest_of_four() }}, null) as bigint) as slowest,
        cast(if(is_even, {{ fastest_of_four() }}, null) as bigint) as fastest,
        if(is_slow, make_timestamptz(week_since_us), null) as week_since,
        if(is_slow, make_timestamptz(week_counted_us), null) as week_counted_at,
        if(is_slow, week_views_before, null) as week_views_before,
        if(is_slow, week_views_gained, null) as week_views_gained,
        if(is_slow, week_responses_before, null) as week_responses_before,
        if(is_slow, week_responses_gained, null) as week_responses_gained,
        reasons
    from judged
    where len(reasons) > 0
)

{{ scoped("suspects", touched, "video_id", at="day", since="from_day") }}
