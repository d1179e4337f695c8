with

merged as (
    select * from {{ ref('int_video_readings') }}
),

counted as (
    {{ counts_and_changes("merged", "video_id", video_counters()) }}
)

select
    video_id,
    captured_at,
    is_exact,
    source
    {%- for counter in video_counters() %},
    {{ counter }}_count,
    {{ counter }}_delta
    {%- endfor %},
    is_first
from counted
order by captured_at
