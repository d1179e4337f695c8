{% macro video_rises(videos, since) -%}
    {#- How far the marks of posts rose on each day, and for whom (money.md M7, M14, M20). A mark is the
        highest count so far. `videos` has the intervals in which accounts owned them: video_id, account_id,
        creator_id, from_at, until_at, timezone; `since`, the first day that matters, never before the
        literal; and is_by_day, if one owner and the organization's zone let the daily marks suffice. Others
        are computed by reading. A first known count is not a rise but a start. -#}
    with

    deltas as (
        select deltas.*
        from {{ ref('video_deltas') }} as deltas
        where
            deltas.video_id in (select by_reading.video_id from {{ videos }} as by_reading where not is_by_day)
            and deltas.captured_at >= {{ first_reading_at() }}
    ),

    marked as (
        select
            {%- for counter in video_counters() %}
            {{ counter }}_count,
            max({{ counter }}_count) over until_now as {{ counter }}_mark,
            max({{ counter }}_count) over earlier as {{ counter }}_mark_before,
            {%- endfor %}
            video_id,
            captured_at
        from deltas
        window
            until_now as (
                partition by video_id order by captured_at
                rows between unbounded preceding and current row
            ),
            earlier as (
                partition by video_id order by captured_at
                rows between unbounded preceding and 1 preceding
            )
    ),

    risen as (
        select
            videos.* exclude (is_by_day, since),
            {%- for counter in video_counters() %}
            high_water_marks.{{ counter }}_mark,
            high_water_marks.{{ counter }}_rise,
            high_water_marks.{{ counter }}_start,
            {%- endfor %}
            high_water_marks.day
        from {{ ref('int_video_high_water_marks') }} as high_water_marks
        inner join {{ videos }} as videos using (video_id)
        where videos.is_by_day and high_water_marks.day >= videos.since and high_water_marks.day >= {{ since }}
        union all by name
        select
            videos.* exclude (is_by_day, since),
            {%- for counter in video_counters() %}
            marked.{{ counter }}_mark,
            marked.{{ counter }}_mark - coalesce(marked.{{ counter }}_mark_before, marked.{{ counter }}_count)
                as {{ counter }}_rise,
            if(marked.{{ counter }}_mark_before is null, marked.{{ counter }}_count, null)
                as {{ counter }}_start,
            {%- endfor %}
            {{ local_day("marked.captured_at", "offsets.utc_offset_seconds") }} as day
        from marked
        inner join {{ videos }} as videos
            on
                marked.video_id = videos.video_id
                and marked.captured_at >= videos.from_at
                and marked.captured_at < videos.until_at
        inner join {{ ref('int_utc_offsets') }} as offsets
            on
                videos.timezone = offsets.zone
                and marked.captured_at >= offsets.starts_at
                and marked.captured_at < offsets.ends_at
        where not videos.is_by_day and day >= videos.since
    )

    select
        risen.*,
        coalesce(risen.view_rise, 0) as views_rise,
        risen.view_start as views_start,
        coalesce(
            rules.engagement(risen.like_rise, risen.comment_rise, risen.share_rise, risen.save_rise), 0
        ) as engagement_rise,
        coalesce(
            rules.engagement(risen.like_start, risen.comment_start, risen.share_start, risen.save_start), 0
        ) as engagement_start
    from risen
    where risen.account_id is not null and risen.creator_id is not null
{%- endmacro %}
