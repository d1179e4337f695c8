{{ config(
    materialized="incremental",
    meta={"key": "comment_id", "replaces": "entities", "touched": "int_touched_comments"}
) }}

with

sightings as (
    {{ scoped(ref('int_comment_sightings'), ref('int_touched_comments'), "comment_id") }}
),

crawls as (
    select * from {{ ref('int_comment_crawls') }}
),

videos as (
    select * from {{ ref('int_commented_videos') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

still_there as (
    select
        sightings.*,
        coalesce(sightings.posted_at, sightings.first_captured_at) as commented_at
    from sightings
    left join crawls using (video_id)
    where sightings.captured_at >= crawls.complete_started_at or crawls.complete_started_at is null
),

scores as (
    select scores.*
    from {{ ref('stg_comment_scores') }} as scores
    semi join still_there using (text_id)
    qualify row_number() over (partition by scores.text_id order by scores.score_seq desc) = 1
),

mentions as (
    select mentions.*
    from {{ ref('stg_comment_mentions') }} as mentions
    semi join still_there using (text_id)
    qualify
        row_number() over (
            partition by mentions.organization_id, mentions.text_id
            order by mentions.score_seq desc
        ) = 1
)

select
    still_there.comment_id,
    still_there.video_id,
    videos.organization_id,
    videos.project_id,
    videos.creator_id,
    videos.platform,
    videos.is_counted,
    still_there.platform_comment_id,
    still_there.text,
    lower(still_there.text) as searched_text,
    still_there.like_count,
    still_there.reply_count,
    still_there.author_unique_id,
    still_there.author_nickname,
    still_there.posted_at,
    still_there.commented_at,
    {{ local_day("still_there.commented_at", "offsets.utc_offset_seconds") }} as day,
    still_there.first_captured_at,
    still_there.captured_at,
    scores.language,
    scores.sentiment,
    scores.sentiment_score,
    if(scores.sentiment is null, null, scores.sentiment_model) as sentiment_model,
    list_sort(list_concat(coalesce(scores.signals, []), coalesce(mentions.signals, []))) as signals,
    coalesce(list_has_any(scores.signals, ['ad_disclosure', 'risk']), false) as is_flagged
from still_there
inner join videos using (video_id)
inner join offsets
    on
        videos.analytics_tz = offsets.zone
        and still_there.commented_at >= offsets.starts_at
        and still_there.commented_at < offsets.ends_at
left join scores using (text_id)
left join mentions
    on
        videos.organization_id = mentions.organization_id
        and still_there.text_id = mentions.text_id
