with

observed as (
    select * from {{ source('raw', 'comments') }}
)

select
    video_id,
    platform_comment_id,
    text,
    like_count,
    reply_count,
    author_unique_id,
    author_nickname,
    posted_at,
    captured_at,
    batch_seq
from observed
where {{ known_to_this_run('captured_at') }}
