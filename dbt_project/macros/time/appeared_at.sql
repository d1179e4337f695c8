{% macro appeared_at() -%}
    {#- From when on a video of `videos` counts as posted: posted_at, else the first reading. Null
        where `members` has no day of it: it is not known yet, or still to come. -#}
    if(members.appeared_on is null, null, coalesce(videos.posted_at, videos.first_captured_at))
{%- endmacro %}
