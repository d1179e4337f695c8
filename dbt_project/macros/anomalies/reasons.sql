{# The rules for anomalous readings, each under its reason, with its thresholds. The thresholds were chosen on
   synthetic worlds other than those used to judge them (dbt_project/README.md, 'Anomalies').

   Rules compare a post with itself, so large and small posts, and kinds of posts that people like more or
   less, are treated alike. A viral wave is no anomaly: its views get as many likes as those before it, it
   continues after its first day, and it grows less each day. Nor is a correction: it removes less than a
   quarter. Responses are likes plus comments. All figures are integers. #}

{% macro same_as_before() -%}{{ return("interval " ~ days_before() ~ " days") }}{%- endmacro %}
{#- How far back a post is compared with itself: a post without a reading for a week is not judged. -#}


{% macro days_before() -%}{{ return(7) }}{%- endmacro %}
{#- The same in days. -#}


{% macro same_as_before_us() -%}{{ return(days_before() * 86400000000) }}{%- endmacro %}
{#- The same in microseconds: sqruff 0.44 cannot parse a call in a window frame. -#}


{% macro neighbourhood() -%}{{ return("interval 36 hours") }}{%- endmacro %}
{#- The time before and after a step in which growth is compared: less than a day may be all night. -#}


{% macro read_within() -%}{{ return("interval 28 hours") }}{%- endmacro %}
{#- The longest time between readings of a tracked post. -#}


{% macro is_silent() -%}
    {#- `silent_views`: at most a fifth of the responses that as many views had before, with at least 20
        expected. A counter that fell is a correction and proves nothing about views. Nor do shared views
        (`is_shared`). -#}
    base_views_gained >= 300
    and least(likes_gained, comments_gained) >= 0
    and responses_before >= 20
    and cast(base_views_gained as hugeint) * responses_before >= cast(20 as hugeint) * base_views
    and cast(responses_gained as hugeint) * 5 * base_views <= cast(base_views_gained as hugeint) * responses_before
{%- endmacro %}


{% macro is_shared(before="base_views", of="base_") -%}
    {#- Views from shares, which the platform does not ask for likes: they came with at least half of the
        shares that as many views had before, with at least 5 expected. Bought views bring none. -#}
    coalesce(
        cast({{ of }}views_gained as hugeint) * {{ of }}shares_before >= 5 * {{ before }}
        and cast({{ of }}shares_gained as hugeint) * 2 * {{ before }}
        >= cast({{ of }}views_gained as hugeint) * {{ of }}shares_before,
        false
    )
{%- endmacro %}


{% macro is_slowly_silent() -%}
    {#- `silent_views` in steps each too small to tell: those of a week (`steps_of_the_week`), except steps
        that are silent by themselves, with at most a fifth of the responses that as many views had before and
        at least 40 expected, over two days or more. A counter that fell in that week makes it inconclusive.
        -#}
    week_views_gained >= 1000
    and week_responses_before >= 20
    and are_week_responses_known
    and captured_us - week_since_us >= epoch_us(interval 2 days)
    and cast(week_views_gained as hugeint) * week_responses_before >= cast(40 as hugeint) * week_views_before
    and cast(week_responses_gained as hugeint) * 5 * week_views_before
    <= cast(week_views_gained as hugeint) * week_responses_before
{%- endmacro %}


{% macro may_be_silent() -%}
    {#- The first views of a post, which cannot be compared with itself: fewer than 2 in 100 responded, with
        both likes and comments known. The organization's other posts decide (`is_silent_among`). -#}
    base_views_gained >= 1000
    and likes_gained >= 0
    and comments_gained >= 0
    and responses_before < 20
    and responses_gained * 50 <= base_views_gained
{%- endmacro %}


{% macro is_silent_among(per_mille) -%}
    {#- A tenth of the median responses per thousand views of the organization's posts on that platform. -#}
    cast(responses_gained as hugeint) * 10000 <= cast(base_views_gained as hugeint) * {{ per_mille }}
{%- endmacro %}


{% macro is_large() -%}views_gained >= 300 and views_gained * 10 >= views_before * 3{%- endmacro %}
{#- Three tenths of the views before. -#}


{% macro is_large_step() -%}
    {#- The same within 28 hours. -#}
    {{ is_large() }} and captured_us - since_us <= epoch_us({{ read_within() }})
{%- endmacro %}


{% macro is_single_step() -%}
    {#- `single_step`: a large step, six times as fast as the post's growth in the 36 hours before and after
        it. -#}
    {{ is_large_step() }}
    and {{ is_faster_than_before() }}
    and {{ is_followed() }}
    and {{ is_faster("captured_us - since_us", "ended_with - view_count", "epoch_us(ended_at) - captured_us") }}
{%- endmacro %}


{% macro cannot_be_judged() -%}
    {#- `cannot_be_judged`: as large and as much faster than before, but no reading shows the growth after it.
        A step of more than 28 hours counts here too: an only reading after an outage. Judged again when a
        reading comes within the 36 hours. -#}
    {{ is_large() }} and {{ is_faster_than_before() }} and not coalesce({{ is_followed() }}, false)
{%- endmacro %}


{% macro is_faster_than_before() -%}
    since_us - epoch_us(begun_at) >= epoch_us(interval 18 hours)
    and {{ is_faster("captured_us - since_us", "views_before - begun_with", "since_us - epoch_us(begun_at)") }}
{%- endmacro %}


{% macro is_followed() -%}
    epoch_us(ended_at) - captured_us >= epoch_us(interval 18 hours)
{%- endmacro %}


{% macro is_faster(took, other_gained, other_took) -%}
    {#- Six times as much in the same time. -#}
    cast(views_gained as hugeint) * ({{ other_took }})
    >= 6 * cast({{ other_gained }} as hugeint) * ({{ took }})
{%- endmacro %}


{% macro is_fall() -%}
    {#- `fall`: the post lost at least a quarter of its views. -#}
    views_gained <= -200 and -views_gained * 4 >= views_before
{%- endmacro %}


{% macro may_be_revived() -%}
    {#- `late_revival`, if the post is old (`is_old`): in four consecutive readings it grew at the same hourly
        rate, within a quarter, and by at least a tenth of its views in total. Real growth varies by day and
        night, and slows down. -#}
    {{ has_risen() }}
    and {{ fastest_of_four() }} * 4 <= {{ slowest_of_four() }} * 5
{%- endmacro %}


{% macro has_risen() -%}
    view_count - views_before_4 >= 300
    and (view_count - views_before_4) * 10 >= views_before_4
    and since_us_4 >= captured_us - epoch_us({{ same_as_before() }})
    and captured_us - since_us_4 >= epoch_us(interval 20 hours)
{%- endmacro %}
{#- A tenth more views in four readings within a week. -#}


{% macro slowest_of_four() -%}least({{ _paces_of_four() }}){%- endmacro %}


{% macro fastest_of_four() -%}greatest({{ _paces_of_four() }}){%- endmacro %}


{% macro _paces_of_four() -%}
    {{ _pace("view_count", "captured_us", "views_before", "since_us") }},
    {{ _pace("views_before", "since_us", "views_before_2", "since_us_2") }},
    {{ _pace("views_before_2", "since_us_2", "views_before_3", "since_us_3") }},
    {{ _pace("views_before_3", "since_us_3", "views_before_4", "since_us_4") }}
{%- endmacro %}


{% macro _pace(views, at, views_before, since) -%}
    {#- Views gained between two readings, scaled to 24 hours: HUGEINT, as readings may be moments apart. -#}
    cast({{ views }} - {{ views_before }} as hugeint) * 86400000000 // ({{ at }} - {{ since }})
{%- endmacro %}


{% macro is_old(posted_at, since) -%}
    {#- Three weeks: by then nine in ten posts have almost all their views. -#}
    {{ posted_at }} <= {{ since }} - interval 21 days
{%- endmacro %}


{% macro first_with_more(since, views) -%}
    {#- The first time with more views than at `since`; if there is none, the time of the reading. -#}
    coalesce(
        min(readings.captured_at) filter (
            where epoch_us(readings.captured_at) > oddities.{{ since }} and readings.view_count > oddities.{{ views }}
        ),
        oddities.captured_at
    )
{%- endmacro %}


{% macro repeats_itself() -%}
    {#- `repeated_comments`, for a text in a day's comments: at least five times, and one in ten of them.
        Short texts are excluded, as everybody writes them. -#}
    letters >= 12 and times >= 5 and times * 10 >= written
{%- endmacro %}


{% macro are_repeated() -%}
    {#- All such texts in a day's comments: at least ten, and a quarter of them. -#}
    repeated >= 10 and repeated * 4 >= written
{%- endmacro %}


{% macro movements() -%}
    {{ return("['silent_views', 'single_step', 'cannot_be_judged', 'fall']") }}
{%- endmacro %}
{#- Reasons that the platform may cause: it recounted, or showed posts to more people. -#}


{% macro would_show(readings) -%}
    {#- On a post of this size, a movement of a fifth is marked: 300 views of 1,500, and 20 responses of 100.
        -#}
    {{ readings }}.view_count >= 1800 and {{ readings }}.like_count + {{ readings }}.comment_count >= 100
{%- endmacro %}


{% macro is_platform_wide() -%}
    {#- `platform_wide`: half of the others' posts, of at least three other creators, moved alike. -#}
    other_owners >= 3 and other_moved_posts * 2 >= other_posts
{%- endmacro %}
