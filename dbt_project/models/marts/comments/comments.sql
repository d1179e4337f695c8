with

observed as (
    select * from {{ ref('stg_comments') }}
),

walks as (
    select
        video_id,
        max(started_at) as started_at
    from {{ ref('stg_comment_walks') }}
    where is_complete
    group by video_id
),

videos as (
    select * from {{ ref('videos') }}
),

zones as (
    select * from {{ ref('int_video_zones') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

scores as (
    select * from {{ ref('stg_comment_scores') }}
),

mentions as (
    select * from {{ ref('stg_comment_mentions') }}
),

last_seen as (
    select
        video_id,
        platform_comment_id,
        min(captured_at) as first_captured_at,
        max(captured_at) as captured_at,
        arg_max( -- one value: a batch has a comment once
            struct_pack(
                said := text,
                likes := like_count,
                replies := reply_count,
                handle := author_unique_id,
                nickname := author_nickname,
                posted := posted_at
            ),
            (captured_at, batch_seq)
        ) as last
    from observed
    group by video_id, platform_comment_id
),

still_there as (
    select last_seen.*
    from last_seen
    left join walks using (video_id)
    where last_seen.captured_at >= walks.started_at or walks.started_at is null
),

told as (
    select
        still_there.video_id,
        still_there.platform_comment_id,
        still_there.first_captured_at,
        still_there.captured_at,
        still_there.last.said as text,
        still_there.last.likes as like_count,
        still_there.last.replies as reply_count,
        still_there.last.handle as author_unique_id,
        still_there.last.nickname as author_nickname,
        still_there.last.posted as posted_at,
        coalesce(still_there.last.posted, still_there.first_captured_at) as commented_at,
        cast(left(sha256(still_there.last.said), 32) as uuid) as text_id
    from still_there
)

select
    {{ uuid5("told.video_id", "told.platform_comment_id") }} as comment_id,
    told.video_id,
    videos.organization_id,
    videos.project_id,
    videos.creator_id,
    videos.platform,
    videos.is_counted,
    told.platform_comment_id,
    told.text,
    lower(told.text) as searched_text,
    told.like_count,
    told.reply_count,
    told.author_unique_id,
    told.author_nickname,
    told.posted_at,
    told.commented_at,
    {{ local_day("told.commented_at", "offsets.utc_offset_seconds") }} as day,
    told.first_captured_at,
    told.captured_at,
    scores.language,
    scores.sentiment,
    scores.sentiment_score,
    if(scores.sentiment is null, null, scores.sentiment_model) as sentiment_model,
    list_sort(list_concat(coalesce(scores.signals, []), coalesce(mentions.signals, []))) as signals,
    coalesce(list_has_any(scores.signals, ['ad_disclosure', 'risk']), false) as is_flagged
from told
inner join videos using (video_id)
inner join zones using (video_id)
inner join offsets
    on
        zones.analytics_tz = offsets.zone
        and told.commented_at >= offsets.starts_at
        and told.commented_at < offsets.ends_at
left join scores using (text_id)
left join mentions
    on
        videos.organization_id = mentions.organization_id
        and told.text_id = mentions.text_id
