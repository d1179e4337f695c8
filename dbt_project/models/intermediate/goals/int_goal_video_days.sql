with

videos as (
    select * from {{ ref('int_goal_videos') }}
),

owners as (
    select * from {{ ref('int_video_owners') }}
),

handed_over as (
    select distinct owners.video_id
    from owners
    semi join videos using (video_id)
    where not owners.is_only
),

deltas as (
    select deltas.*
    from {{ ref('video_deltas') }} as deltas
    semi join handed_over using (video_id)
    where deltas.captured_at >= {{ first_reading_at() }}
),

{{ dated("deltas", "video_id", ref('int_video_zones'), first_reading_at()) }},

marked as (
    select
        dated.video_id,
        dated.captured_at,
        {%- for counter in video_counters() %}
        dated.{{ counter }}_count,
        max(dated.{{ counter }}_count) over until_now as {{ counter }}_mark,
        max(dated.{{ counter }}_count) over earlier as {{ counter }}_mark_before,
        {%- endfor %}
        dated.day
    from dated
    window
        until_now as (
            partition by dated.video_id order by dated.captured_at
            rows between unbounded preceding and current row
        ),
        earlier as (
            partition by dated.video_id order by dated.captured_at
            rows between unbounded preceding and 1 preceding
        )
),

by_reading as (
    select
        marked.video_id,
        owners.account_id,
        owners.creator_id,
        {%- for counter in video_counters() %}
        marked.{{ counter }}_mark - coalesce(marked.{{ counter }}_mark_before, marked.{{ counter }}_count)
            as {{ counter }}_rise,
        if(marked.{{ counter }}_mark_before is null, marked.{{ counter }}_count, null) as {{ counter }}_start,
        {%- endfor %}
        marked.day
    from marked
    inner join owners
        on
            marked.video_id = owners.video_id
            and marked.captured_at >= owners.from_at
            and marked.captured_at < owners.until_at
),

by_day as (
    select
        marks.video_id,
        owners.account_id,
        owners.creator_id,
        {%- for counter in video_counters() %}
        marks.{{ counter }}_rise,
        marks.{{ counter }}_start,
        {%- endfor %}
        marks.day
    from {{ ref('int_video_marks') }} as marks
    inner join owners using (video_id)
    semi join videos using (video_id)
    where owners.is_only
),

owned as (
    select * from by_day
    union all by name
    select * from by_reading
)

select
    owned.video_id,
    owned.account_id,
    owned.creator_id,
    owned.day,
    videos.posted_on,
    coalesce(owned.view_rise, 0) as views_rise,
    owned.view_start as views_start,
    coalesce(owned.like_rise, 0) + coalesce(owned.comment_rise, 0)
    + coalesce(owned.share_rise, 0) + coalesce(owned.save_rise, 0) as engagement_rise,
    coalesce(owned.like_start, 0) + coalesce(owned.comment_start, 0)
    + coalesce(owned.share_start, 0) + coalesce(owned.save_start, 0) as engagement_start
from owned
inner join videos using (video_id)
where owned.account_id is not null and owned.creator_id is not null
