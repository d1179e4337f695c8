-- The changes of a counter, summed, are its last known count less what it was before the first of
-- them: zero where the history is looked at as a whole, in a full refresh (counting.md).
-- Other runs look at the rows that they computed.
-- depends_on: {{ ref('video_deltas') }}, which dbt does not see while it parses
with

gained as (
    select
        video_id
        {%- for counter in video_counters() %},
        sum({{ counter }}_delta) as {{ counter }}_gained,
        arg_min({{ counter }}_count - {{ counter }}_delta, captured_at) as {{ counter }}_begun,
        arg_max({{ counter }}_count, captured_at) as {{ counter }}_ended
        {%- endfor %}
    from {{ ref('video_deltas') if computes_everything() else ref('int_video_changes') }}
    group by video_id
)

select *
from gained
where
    false
    {%- for counter in video_counters() %}
    or {{ counter }}_gained <> {{ counter }}_ended - {{ counter }}_begun
    {%- if computes_everything() %}
    or {{ counter }}_begun <> 0
    {%- endif %}
    {%- endfor %}
