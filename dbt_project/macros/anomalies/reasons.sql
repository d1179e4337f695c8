{# What makes a reading an anomaly: each rule under its reason, with its thresholds. They were chosen on made-up
   worlds other than those they are judged by (dbt_project/README.md, 'Anomalies').

   Rules compare a post with itself, so that large and small posts, and kinds of posts of which more or fewer
   people like what they see, are alike to them. A viral wave passes: its views are liked as those before it,
   it goes on after its first day, and it grows less each day. So does a correction: it takes less than a
   quarter. Responses are likes and comments together. All figures are integers. #}

{% macro same_as_before() -%}{{ return("interval 7 days") }}{%- endmacro %}
{#- Up to how far back a post is compared with itself: what is not read for a week is not judged. -#}


{% macro same_as_before_us() -%}{{ return(7 * 86400000000) }}{%- endmacro %}
{#- The same in microseconds: sqlfluff 4 reads no call in the frame of a window. -#}


{% macro neighbourhood() -%}{{ return("interval 36 hours") }}{%- endmacro %}
{#- For how long before and after a step a post's growth is asked for: less than a day may be all night. -#}


{% macro read_within() -%}{{ return("interval 28 hours") }}{%- endmacro %}
{#- Nothing tracked is unread for longer. -#}


{% macro is_silent() -%}
    {#- `silent_views`: a fifth or less of the responses that as many views had before; 20 were to be
        expected at least. A counter that fell is a correction, which says nothing of views. Neither do shared
        views (`is_shared`). -#}
    base_views_gained >= 300
    and least(likes_gained, comments_gained) >= 0
    and responses_before >= 20
    and cast(base_views_gained as hugeint) * responses_before >= cast(20 as hugeint) * base_views
    and cast(responses_gained as hugeint) * 5 * base_views <= cast(base_views_gained as hugeint) * responses_before
{%- endmacro %}


{% macro is_shared(before="base_views", of="base_") -%}
    {#- Views that others passed on, whom the platform does not ask for likes: half or more of the shares that as many
        views had before came with them, where 5 were to be expected at least. Bought views bring none. -#}
    coalesce(
        cast({{ of }}views_gained as hugeint) * {{ of }}shares_before >= 5 * {{ before }}
        and cast({{ of }}shares_gained as hugeint) * 2 * {{ before }}
        >= cast({{ of }}views_gained as hugeint) * {{ of }}shares_before,
        false
    )
{%- endmacro %}


{% macro is_slowly_silent() -%}
    {#- `silent_views` by steps that are each too small to tell: those of a week (`steps_of_the_week`), apart from
        those that are silent by themselves, with a fifth or less of the responses that as many views had before;
        40 were to be expected at least, in two days or more. A counter that fell in that week says nothing. -#}
    week_views_gained >= 1000
    and week_responses_before >= 20
    and are_week_responses_known
    and not is_silent
    and not {{ is_shared("week_views_before", "week_") }}
    and captured_us - week_since_us >= epoch_us(interval 2 days)
    and cast(week_views_gained as hugeint) * week_responses_before >= cast(40 as hugeint) * week_views_before
    and cast(week_responses_gained as hugeint) * 5 * week_views_before
    <= cast(week_views_gained as hugeint) * week_responses_before
{%- endmacro %}


{% macro may_be_silent() -%}
    {#- The first views of a post, which has nothing to be compared with: less than 2 in 100 responded, likes
        and comments both known. The organization's other posts decide (`is_silent_among`). -#}
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


{% macro is_large_step() -%}
    {#- Three tenths of the views before, within 28 hours. -#}
    views_gained >= 300
    and views_gained * 10 >= views_before * 3
    and captured_us - since_us <= epoch_us({{ read_within() }})
{%- endmacro %}


{% macro is_single_step() -%}
    {#- `single_step`: a large step, six times as fast as the post grew in the day and a half before and
        grows in that after. -#}
    {{ is_large_step() }}
    and since_us - epoch_us(begun_at) >= epoch_us(interval 18 hours)
    and epoch_us(ended_at) - captured_us >= epoch_us(interval 18 hours)
    and {{ is_faster("captured_us - since_us", "views_before - begun_with", "since_us - epoch_us(begun_at)") }}
    and {{ is_faster("captured_us - since_us", "ended_with - view_count", "epoch_us(ended_at) - captured_us") }}
{%- endmacro %}


{% macro is_faster(took, other_gained, other_took) -%}
    {#- Six times as much in the same time. -#}
    cast(views_gained as hugeint) * ({{ other_took }})
    >= 6 * cast({{ other_gained }} as hugeint) * ({{ took }})
{%- endmacro %}


{% macro is_fall() -%}
    {#- `fall`: a quarter of the views, or more, are gone. -#}
    views_gained <= -200 and -views_gained * 4 >= views_before
{%- endmacro %}


{% macro may_be_revived() -%}
    {#- `late_revival`, if the post is old (`is_old`): four readings running it grew by the same each hour, to a
        quarter, by a tenth of its views in all. What people watch goes by day and night, and wanes. -#}
    view_count - views_before_4 >= 300
    and (view_count - views_before_4) * 10 >= views_before_4
    and since_us_4 >= captured_us - epoch_us({{ same_as_before() }})
    and captured_us - since_us_4 >= epoch_us(interval 20 hours)
    and {{ fastest_of_four() }} * 4 <= {{ slowest_of_four() }} * 5
{%- endmacro %}


{% macro slowest_of_four() -%}least({{ _paces_of_four() }}){%- endmacro %}


{% macro fastest_of_four() -%}greatest({{ _paces_of_four() }}){%- endmacro %}


{% macro _paces_of_four() -%}
    {{ _pace("view_count", "captured_us", "views_before", "since_us") }},
    {{ _pace("views_before", "since_us", "views_before_2", "since_us_2") }},
    {{ _pace("views_before_2", "since_us_2", "views_before_3", "since_us_3") }},
    {{ _pace("views_before_3", "since_us_3", "views_before_4", "since_us_4") }}
{%- endmacro %}


{% macro _pace(views, at, views_before, since) -%}
    {#- Views gained between two readings, as if in 24 hours: HUGEINT, as readings may be a moment apart. -#}
    cast({{ views }} - {{ views_before }} as hugeint) * 86400000000 // ({{ at }} - {{ since }})
{%- endmacro %}


{% macro is_old(posted_at, since) -%}
    {#- Three weeks: nine in ten posts have all but all their views by then. -#}
    {{ posted_at }} <= {{ since }} - interval 21 days
{%- endmacro %}


{% macro first_with_more(since, views) -%}
    {#- When views were first more than they were at `since`; where they never were, when the reading was taken. -#}
    coalesce(
        min(readings.captured_at) filter (
            where epoch_us(readings.captured_at) > oddities.{{ since }} and readings.view_count > oddities.{{ views }}
        ),
        oddities.captured_at
    )
{%- endmacro %}


{% macro repeats_itself() -%}
    {#- `repeated_comments`, of a text in a day's comments: five times, and one in ten of them. Short ones are
        what everybody writes. -#}
    letters >= 12 and times >= 5 and times * 10 >= written
{%- endmacro %}


{% macro are_repeated() -%}
    {#- Of all such texts in a day's comments: ten, and a quarter of them. -#}
    repeated >= 10 and repeated * 4 >= written
{%- endmacro %}


{% macro movements() -%}{{ return("['silent_views', 'single_step', 'fall']") }}{%- endmacro %}
{#- Reasons that a platform may be behind: it counted anew, or showed posts to more people. -#}


{% macro would_show(readings) -%}
    {#- Of a post that size a movement of a fifth is marked: 300 views of 1,500, and 20 responses of 100. -#}
    {{ readings }}.view_count >= 1800 and {{ readings }}.like_count + {{ readings }}.comment_count >= 100
{%- endmacro %}


{% macro is_platform_wide() -%}
    {#- `platform_wide`: half of the others' posts, of three other creators at least, moved alike. -#}
    other_owners >= 3 and other_moved_posts * 2 >= other_posts
{%- endmacro %}
