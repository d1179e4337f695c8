{% macro appeared_at() -%}
    {#- When a video of `videos` counts as posted: posted_at, else the first reading. Null if `members` has no
        day for it: it is unknown or in the future. -#}
    if(members.appeared_on is null, null, coalesce(videos.posted_at, videos.first_captured_at))
{%- endmacro %}
