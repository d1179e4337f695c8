with

videos as (
    select * from {{ ref('int_commented_videos') }}
),

-- Evaluated separately for each reason: on most days most reasons match nothing, and then it is not
-- evaluated.

sightings as not materialized (
    select * from {{ ref('int_comment_sightings') }}
),

new_comments as (
    {{ new_facts(ref('stg_comments'), "captured_at") }}
),

new_crawls as (
    {{ new_facts(ref('stg_comment_crawls'), "finished_at") }}
),

changed_videos as (
    {{ changed_commented_videos() }}
),

new_scores as (
    select text_id
    from {{ ref('stg_comment_scores') }}
    where score_seq > {{ from_score_seq() }}
),

new_mentions as (
    select
        organization_id,
        text_id
    from {{ ref('stg_comment_mentions') }}
    where score_seq > {{ from_score_seq() }}
),

seen as (
    select
        sightings.comment_id,
        sightings.video_id
    from sightings
    semi join new_comments using (video_id, platform_comment_id)
),

gone as (
    select
        sightings.comment_id,
        sightings.video_id
    from sightings
    inner join {{ ref('int_comment_crawls') }} as crawls using (video_id)
    semi join new_crawls using (video_id)
    where sightings.captured_at < crawls.complete_started_at
),

by_videos as (
    select
        sightings.comment_id,
        sightings.video_id
    from sightings
    semi join changed_videos using (video_id)
),

by_scores as (
    select
        sightings.comment_id,
        sightings.video_id
    from sightings
    semi join new_scores using (text_id)
),

by_mentions as (
    select
        sightings.comment_id,
        sightings.video_id
    from sightings
    inner join videos using (video_id)
    semi join new_mentions using (organization_id, text_id)
),

touched as (
    {{ touched_by(["seen", "gone", "by_videos", "by_scores", "by_mentions"], "comment_id, video_id") }}
)

select distinct
    comment_id,
    video_id
from touched
