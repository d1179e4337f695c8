{% macro payout_video_days(videos, from_day) -%}
    {#- How each day with known views changed the mark of each of the `videos` (rows of int_payout_videos;
        money.md M7), for days from `from_day` on: the mark before it (null without an earlier reading), the
        day's first count, the mark after it, and the last earlier day with known views. -#}
    select
        videos.*,
        high_water_marks.day,
        if(high_water_marks.view_start is null, high_water_marks.view_mark - high_water_marks.view_rise, null)
            as high_water_mark_before,
        high_water_marks.view_first as first_views,
        high_water_marks.view_mark as high_water_mark,
        high_water_marks.views_read_before as read_before
    from {{ ref('int_video_high_water_marks') }} as high_water_marks
    inner join {{ videos }} as videos using (video_id)
    where videos.is_by_day and high_water_marks.day >= {{ from_day }} and high_water_marks.view_first is not null
    union all
    select
        videos.*,
        days.day,
        days.high_water_mark_before,
        days.first_views,
        days.high_water_mark,
        days.read_before
    from {{ ref('int_payout_other_days') }} as days
    inner join {{ videos }} as videos using (video_id, timezone, from_at, creator_id)
    where days.day >= {{ from_day }}
{%- endmacro %}
