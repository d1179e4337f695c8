with

observed as (
    select * from {{ source('raw', 'video_snapshots') }}
)

select
    video_id,
    captured_at,
    view_count,
    like_count,
    comment_count,
    share_count,
    save_count,
    is_exact,
    source,
    batch_seq
from observed
where {{ known_to_this_run('captured_at') }}
