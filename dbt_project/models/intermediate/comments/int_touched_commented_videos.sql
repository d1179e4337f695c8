with

touched_comments as (
    select * from {{ ref('int_touched_comments') }}
),

new_crawls as (
    {{ new_facts(ref('stg_comment_crawls'), "finished_at") }}
),

changed_videos as (
    {{ changed_commented_videos() }}
),

touched as (
    {{ touched_by(["touched_comments", "new_crawls", "changed_videos"], "video_id") }}
)

select distinct video_id
from touched
