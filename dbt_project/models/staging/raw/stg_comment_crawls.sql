with

observed as (
    select * from {{ source('raw', 'comment_walks') }}
)

select
    video_id,
    outcome,
    is_complete,
    collected_count,
    started_at,
    finished_at,
    batch_seq
from observed
where {{ known_to_this_run('finished_at') }}
