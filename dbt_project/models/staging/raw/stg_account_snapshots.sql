with

observed as (
    select * from {{ source('raw', 'account_snapshots') }}
)

select
    account_id,
    captured_at,
    follower_count,
    following_count,
    total_likes_count,
    video_count,
    is_exact,
    source,
    batch_seq
from observed
where {{ known_to_this_run('captured_at') }}
