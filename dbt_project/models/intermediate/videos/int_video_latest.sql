with

deltas as (
    select * from {{ ref('video_deltas') }}
)

select
    video_id,
    min(captured_at) as first_captured_at,
    max(captured_at) as last_captured_at
    {%- for counter in video_counters() %},
    arg_max({{ counter }}_count, captured_at) as {{ counter }}_count
    {%- endfor %}
from deltas
group by video_id
