-- The sum of a counter's changes is its last known count minus its count before the first of them: zero if
-- that is the first reading of all (counting.md). Checked for the readings that this run touched.
with

readings as (
    {{ scoped(
        ref('video_deltas'), ref('int_touched_videos'), "video_id", at="captured_at", since="from_at"
    ) }}
),

gained as (
    select
        video_id,
        bool_or(is_first) as is_whole
        {%- for counter in video_counters() %},
        sum({{ counter }}_delta) as {{ counter }}_gained,
        arg_min({{ counter }}_count - {{ counter }}_delta, captured_at) as {{ counter }}_begun,
        arg_max({{ counter }}_count, captured_at) as {{ counter }}_ended
        {%- endfor %}
    from readings
    group by video_id
)

select *
from gained
where
    false
    {%- for counter in video_counters() %}
    or {{ counter }}_gained <> {{ counter }}_ended - {{ counter }}_begun
    or (is_whole and {{ counter }}_begun <> 0)
    {%- endfor %}
