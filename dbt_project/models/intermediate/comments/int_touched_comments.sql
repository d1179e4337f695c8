with

videos as (
    select * from {{ ref('int_commented_videos') }}
),

sightings as (
    select * from {{ ref('int_comment_sightings') }}
),

new_comments as (
    {{ new_facts(ref('stg_comments'), "captured_at") }}
),

new_walks as (
    {{ new_facts(ref('stg_comment_walks'), "finished_at") }}
),

changed_videos as (
    (
        select * from videos
        except
        select * from {{ source('control', 'commented_videos') }}
    )
    union all
    (
        select * from {{ source('control', 'commented_videos') }}
        except
        select * from videos
    )
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

by_scores as (
    select sightings.video_id
    from sightings
    semi join new_scores using (text_id)
),

by_mentions as (
    select sightings.video_id
    from sightings
    inner join videos using (video_id)
    semi join new_mentions using (organization_id, text_id)
),

touched as (
    {{ touched_by(
        ["new_comments", "new_walks", "changed_videos", "by_scores", "by_mentions"], "video_id"
    ) }}
)

select distinct video_id
from touched
