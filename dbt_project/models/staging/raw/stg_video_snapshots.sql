with

observed as (
    select * from {{ source('raw', 'video_snapshots') }}
)

select
    video_id,
    captured_at,
    {%- for counter in video_counters() %}
        {{ counter }}_count,
    {%- endfor %}
    is_exact,
    source,
    batch_seq
from observed
where {{ known_to_this_run('captured_at') }}
