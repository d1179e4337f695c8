{{ config(
    materialized="incremental",
    meta={"key": "video_id", "replaces": "days", "touched": "int_touched_suspects"}
) }}

{%- set touched = ref('int_touched_suspects') %}

with

-- Read twice: DuckDB 1.5 would hold a copy of every reading until both comparisons are done.

deltas as not materialized (
    {{ scoped(ref('video_deltas'), touched, "video_id", at="captured_at", since="readings_from") }}
),

-- A baseline changes no views although likes continue: compared with it, the next views would have no likes.

all_readings as not materialized (
    select deltas.* from deltas
    anti join {{ ref('view_baselines') }} using (video_id, captured_at)
),

-- A rounded count jumps anyway. Instants are microseconds here: every reading is processed, and arithmetic on
-- timestamps with time zone costs more than all the rules.

all_exact_readings as (
    select
        video_id,
        epoch_us(captured_at) as captured_us,
        is_first,
        view_count,
        like_count,
        comment_count
    from all_readings
    where is_exact and view_count is not null
),

-- First the rules compare each reading with the one before it, and with the last one before its week. That
-- costs a quarter of the full comparison below, which then sees few posts for few days.

consecutive as (
    select
        *,
        lag(captured_us) over earlier as since_us,
        coalesce(lag(view_count) over earlier, if(is_first, 0, null)) as views_before,
        coalesce(lag(like_count) over earlier, if(is_first, 0, null)) as likes_before,
        coalesce(lag(comment_count) over earlier, if(is_first, 0, null)) as comments_before,
        lag(captured_us, 4) over earlier as since_us_4,
        lag(view_count, 4) over earlier as views_before_4,
        last_value(
            { 'us': captured_us, 'views': view_count, 'responses': like_count + comment_count }
        ) over before_week as before_week
    from all_exact_readings
    window
        earlier as (partition by video_id order by captured_us),
        before_week as (
            partition by video_id
            order by captured_us
            range between unbounded preceding and {{ same_as_before_us() + 1 }} preceding
        )
),

compared_with_one as (
    select
        video_id,
        captured_us,
        is_first,
        since_us,
        since_us >= captured_us - {{ same_as_before_us() }} as is_soon,
        view_count,
        views_before,
        view_count - views_before as views_gained,
        views_before as base_views,
        views_gained as base_views_gained,
        like_count,
        likes_before,
        like_count - likes_before as likes_gained,
        comment_count,
        comments_before,
        comment_count - comments_before as comments_gained,
        coalesce(likes_gained, 0) + coalesce(comments_gained, 0) as responses_gained,
        if(likes_gained is null, 0, likes_before) + if(comments_gained is null, 0, comments_before)
            as responses_before,
        since_us_4,
        views_before_4,
        struct_extract(before_week, 'us') as week_since_us,
        struct_extract(before_week, 'views') as week_views_before,
        struct_extract(before_week, 'responses') as week_responses_before,
        view_count - week_views_before as week_views_gained,
        like_count + comment_count - week_responses_before as week_responses_gained,
        likes_gained >= 0 and comments_gained >= 0 as are_week_responses_known
    from consecutive
),

-- The week after a reading that shows a counter which the one before does not, or that came after more than a
-- week, has other steps than these. So has the week after silent views.

doubtful_days as (
    select distinct
        video_id,
        {{ local_day("make_timestamptz(captured_us)", 0) }}
        + cast(unnest(range({{ days_before() + 1 }})) as integer) as day
    from compared_with_one
    where
        (
            not is_first
            and (
                not coalesce(is_soon, false)
                or (like_count is not null and likes_before is null)
                or (comment_count is not null and comments_before is null)
            )
        )
        or ({{ is_silent() }})
        or ({{ is_slowly_silent() }})
        or ({{ may_be_silent() }})
        or ({{ is_large() }})
        or ({{ is_fall() }})
        or ({{ has_risen() }})
),

judged_days as materialized (
    {{ scoped("doubtful_days", touched, "video_id", at="day", since="from_day") }}
),

-- Two weeks before a reading and a day and a half after it.

compared_days as (
    select distinct
        video_id,
        day + cast(unnest(range({{ -2 * days_before() }}, 3)) as integer) as day
    from judged_days
),

readings as (
    select
        all_readings.*,
        {{ local_day("all_readings.captured_at", 0) }} as day
    from all_readings
    semi join compared_days
        on
            all_readings.video_id = compared_days.video_id
            and {{ local_day("all_readings.captured_at", 0) }} = compared_days.day
),

exact_readings as (
    select
        video_id,
        captured_at,
        day,
        epoch_us(captured_at) as captured_us,
        is_first,
        view_count,
        like_count,
        comment_count,
        share_count,
        {
            'us': captured_us,
            'views': view_count,
            'likes': like_count,
            'comments': comment_count,
            'shares': share_count
        } as reading
    from readings
    where is_exact and view_count is not null
),

steps as (
    select
        video_id,
        captured_at,
        day,
        captured_us,
        captured_us - epoch_us({{ same_as_before() }}) as earliest_us,
        is_first,
        view_count,
        coalesce(lag(view_count) over earlier, if(is_first, 0, null)) as views_before,
        view_count - views_before as views_gained,
        like_count,
        comment_count,
        share_count,
        lag(if(like_count is null, null, reading) ignore nulls) over earlier as with_likes,
        lag(if(comment_count is null, null, reading) ignore nulls) over earlier as with_comments,
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

-- Responses and views are counted since the last reading with the same counters as this one, so a reading
-- between without likes hides nothing.

bases as (
    select
        * exclude (with_likes, with_comments),
        if(
            is_first,
            { 'us': null, 'views': 0, 'likes': 0, 'comments': 0, 'shares': 0 },
            least( -- by instant: that comes first
                if(
                    like_count is not null and struct_extract(with_likes, 'us') >= earliest_us,
                    with_likes,
                    null
                ),
                if(
                    comment_count is not null and struct_extract(with_comments, 'us') >= earliest_us,
                    with_comments,
                    null
                )
            )
        ) as base
    from steps
    where is_first or since_us >= earliest_us
),

responded as (
    select
        * exclude (base),
        struct_extract(base, 'us') as base_us,
        struct_extract(base, 'views') as base_views,
        view_count - struct_extract(base, 'views') as base_views_gained,
        like_count - struct_extract(base, 'likes') as likes_gained,
        comment_count - struct_extract(base, 'comments') as comments_gained,
        struct_extract(base, 'shares') as base_shares_before,
        share_count - base_shares_before as base_shares_gained,
        likes_gained is not null and comments_gained is not null as are_responses_known,
        if(
            likes_gained is null and comments_gained is null,
            null,
            coalesce(likes_gained, 0) + coalesce(comments_gained, 0)
        )
            as responses_gained,
        if(likes_gained is null, 0, struct_extract(base, 'likes'))
        + if(comments_gained is null, 0, struct_extract(base, 'comments')) as responses_before
    from bases
),

-- The week's steps between readings that have both likes and comments.

steps_of_the_week as (
    select
        *,
        coalesce({{ is_silent() }}, false) and not {{ is_shared() }} as is_silent,
        first_value(
            if(
                are_responses_known,
                {
                    'views': base_views,
                    'responses': responses_before,
                    'shares': base_shares_before,
                    'us': base_us
                },
                null
            ) ignore nulls
        ) over week as first_step,
        struct_extract(first_step, 'views') as week_views_before,
        struct_extract(first_step, 'responses') as week_responses_before,
        struct_extract(first_step, 'shares') as week_shares_before,
        struct_extract(first_step, 'us') as week_since_us,
        cast(
            sum(base_views_gained) filter (where are_responses_known and not is_silent) over week as bigint
        ) as week_views_gained,
        cast(
            sum(responses_gained) filter (where are_responses_known and not is_silent) over week as bigint
        ) as week_responses_gained,
        cast(
            sum(base_shares_gained) filter (where are_responses_known and not is_silent) over week as bigint
        ) as week_shares_gained,
        are_responses_known
        and bool_and(likes_gained >= 0 and comments_gained >= 0) filter (where are_responses_known) over week
            as are_week_responses_known,
        coalesce({{ is_slowly_silent() }}, false)
        and not is_silent
        and not {{ is_shared("week_views_before", "week_") }} as is_slow
    from responded
    window
        week as (
            partition by video_id
            order by captured_us range between {{ same_as_before_us() }} preceding and current row
        )
),

steps_of_judged_days as (
    select steps_of_the_week.* from steps_of_the_week
    semi join judged_days using (video_id, day)
),

doubtful as (
    select * from steps_of_judged_days
    where
        is_silent
        or is_slow
        or ({{ may_be_silent() }})
        or ({{ is_large() }})
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
            and around.captured_us >= least(
                doubtful.captured_us - epoch_us(interval 64 hours),
                doubtful.since_us - epoch_us({{ neighbourhood() }})
            )
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
        list_filter(
            [
                if(is_silent, 'silent_views', null),
                if(is_slow, 'silent_views_of_a_week', null),
                if({{ may_be_silent() }}, 'silent_views_of_a_new_post', null),
                if({{ is_single_step() }}, 'single_step', null),
                if({{ cannot_be_judged() }}, 'cannot_be_judged', null),
                if({{ is_fall() }}, 'fall', null),
                if(is_even, 'late_revival', null)
            ],
            lambda reason: reason is not null
        ) as reasons
    from compared
),

oddities as (
    select * from judged
    where len(reasons) > 0
),

-- Counts from the first reading, even a rounded one, with more views than before.

counted as (
    select
        oddities.video_id,
        oddities.captured_us,
        {{ first_with_more("since_us", "views_before") }} as counted_at,
        {{ first_with_more("base_us", "base_views") }} as base_counted_at,
        {{ first_with_more("since_us_4", "views_before_4") }} as even_counted_at,
        {{ first_with_more("week_since_us", "week_views_before") }} as week_counted_at
    from oddities
    inner join readings
        on
            oddities.video_id = readings.video_id
            and oddities.captured_at >= readings.captured_at
            and oddities.captured_at <= readings.captured_at + 2 * {{ same_as_before() }}
    group by oddities.video_id, oddities.captured_us, oddities.captured_at
),

dated as (
    select
        oddities.*,
        counted.* exclude (video_id, captured_us)
    from oddities
    inner join counted using (video_id, captured_us)
),

-- The first reading after more than a week without any: how its views came is not known. A rounded reading
-- between two exact ones leaves no gap. The earlier reading may be older than what an incremental run reads.

after_gaps as (
    select
        video_id,
        captured_at,
        day,
        is_exact,
        view_count,
        view_count - view_delta as views_before,
        view_delta as views_gained,
        captured_at as counted_at,
        ['cannot_be_judged'] as reasons
    from readings
    where view_count is not null
    qualify
        coalesce(
            captured_at
            > lag(captured_at) over (partition by video_id order by captured_at) + {{ same_as_before() }},
            not is_first
        )
),

large_gaps as (
    select * exclude (is_exact) from after_gaps
    where is_exact and views_before > 0 and {{ is_large() }}
),

judged_gaps as (
    select large_gaps.* from large_gaps
    semi join judged_days using (video_id, day)
)

select
    video_id,
    captured_at,
    day,
    since_at,
    view_count,
    views_before,
    views_gained,
    counted_at,
    make_timestamptz(base_us) as base_at,
    base_counted_at,
    base_views,
    base_views_gained,
    responses_before,
    responses_gained,
    begun_at,
    begun_with,
    ended_at,
    ended_with,
    if(is_even, make_timestamptz(since_us_4), null) as even_since,
    if(is_even, even_counted_at, null) as even_counted_at,
    if(is_even, views_before_4, null) as even_with,
    cast(if(is_even, {{ slowest_of_four() }}, null) as bigint) as slowest,
    cast(if(is_even, {{ fastest_of_four() }}, null) as bigint) as fastest,
    if(is_slow, make_timestamptz(week_since_us), null) as week_since,
    if(is_slow, week_counted_at, null) as week_counted_at,
    if(is_slow, week_views_before, null) as week_views_before,
    if(is_slow, week_views_gained, null) as week_views_gained,
    if(is_slow, week_responses_before, null) as week_responses_before,
    if(is_slow, week_responses_gained, null) as week_responses_gained,
    reasons
from dated
union all by name
select * from judged_gaps
