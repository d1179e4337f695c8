{# What makes a reading an anomaly: each rule under its reason, with its thresholds. They were chosen on made-up
   worlds other than those they are judged by (dbt_project/README.md, 'Anomalies').

   Rules compare a post with itself, so that large and small posts, and kinds of posts of which more or fewer
   people like what they see, are alike to them. A viral wave passes: its views are liked as those before it,
   it goes on after its first day, and it grows less each day. So does a correction: it takes less than a
   quarter. Responses are likes and comments together. All figures are integers. #}

{% macro same_as_before() -%}{{ return("interval 7 days") }}{%- endmacro %}
{#- Up to how far back a post is compared with itself: what is not read for a week is not judged. -#}


{% macro neighbourhood() -%}{{ return("interval 36 hours") }}{%- endmacro %}
{#- For how long before and after a step a post's growth is asked for. Nothing tracked is unread for longer
    than 28 hours, and less than a day may be all night. -#}


{% macro is_silent() -%}
    {#- `silent_views`: a fifth or less of the responses that as many views had before; 20 were to be
        expected at least. A counter that fell is a correction, which says nothing of views. -#}
    views_gained >= 300
    and least(likes_gained, comments_gained) >= 0
    and responses_before >= 20
    and cast(views_gained as hugeint) * responses_before >= cast(20 as hugeint) * views_before
    and cast(responses_gained as hugeint) * 5 * views_before <= cast(views_gained as hugeint) * responses_before
{%- endmacro %}


{% macro may_be_silent() -%}
    {#- The first views of a post, which has nothing to be compared with: less than 2 in 100 responded, likes
        and comments both known. The organization's other posts decide (`is_silent_among`). -#}
    views_gained >= 1000
    and likes_gained >= 0
    and comments_gained >= 0
    and responses_before < 20
    and responses_gained * 50 <= views_gained
{%- endmacro %}


{% macro is_silent_among(per_mille) -%}
    {#- A tenth of the median responses per thousand views of the organization's posts on that platform. -#}
    cast(responses_gained as hugeint) * 10000 <= cast(views_gained as hugeint) * {{ per_mille }}
{%- endmacro %}


{% macro is_single_step() -%}
    {#- `single_step`: three tenths of the views before, and six times as fast as the post grew in the
        day and a half before and grows in that after. -#}
    views_gained >= 300
    and views_gained * 10 >= views_before * 3
    and captured_at - since_at <= interval 28 hours
    and since_at - begun_at >= interval 18 hours
    and ended_at - captured_at >= interval 18 hours
    and {{ is_faster("views_gained", "captured_at - since_at", "views_before - begun_with", "since_at - begun_at") }}
    and {{ is_faster("views_gained", "captured_at - since_at", "ended_with - view_count", "ended_at - captured_at") }}
{%- endmacro %}


{% macro is_faster(gained, took, other_gained, other_took) -%}
    {#- Six times as much in the same time. -#}
    cast({{ gained }} as hugeint) * epoch_us({{ other_took }})
    >= 6 * cast({{ other_gained }} as hugeint) * epoch_us({{ took }})
{%- endmacro %}


{% macro is_fall() -%}
    {#- `fall`: a quarter of the views, or more, are gone. -#}
    views_gained <= -200 and -views_gained * 4 >= views_before
{%- endmacro %}


{% macro may_be_revived() -%}
    {#- `late_revival`, if the post is old (`is_old`): four readings running it grew by the same each hour, to a
        quarter, by a tenth of its views in all. What people watch goes by day and night, and wanes. -#}
    even_steps = 4
    and even_since >= captured_at - {{ same_as_before() }}
    and captured_at - even_since >= interval 20 hours
    and fastest * 4 <= slowest * 5
    and view_count - even_with >= 300
    and (view_count - even_with) * 10 >= even_with
{%- endmacro %}


{% macro is_old(posted_at, since) -%}
    {#- Three weeks: nine in ten posts have all but all their views by then. -#}
    {{ posted_at }} <= {{ since }} - interval 21 days
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
