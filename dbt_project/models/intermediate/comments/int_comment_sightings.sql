{{ config(
    materialized="incremental",
    meta={"key": "comment_id", "replaces": "rows"}
) }}

{%- set before %}
    select old.*
    from {{ this }} as old
    semi join newly_known using (video_id, platform_comment_id)
{%- endset %}

with

newly_known as (
    {{ new_facts(ref('stg_comments'), "captured_at") }}
),

sightings as (
    select
        *,
        captured_at as first_captured_at,
        least(posted_at, captured_at) as earliest_at
    from newly_known
    {{ opening(before) }}
),

last_seen as (
    select
        video_id,
        platform_comment_id,
        min(first_captured_at) as first_captured_at,
        min(earliest_at) as earliest_at,
        max(captured_at) as captured_at,
        arg_max( -- one value: a batch has a comment once
            struct_pack(
                text := text,
                likes := like_count,
                replies := reply_count,
                handle := author_unique_id,
                nickname := author_nickname,
                posted := posted_at,
                batch := batch_seq
            ),
            (captured_at, batch_seq)
        ) as last
    from sightings
    group by video_id, platform_comment_id
)

select
    rules.uuid5(last_seen.video_id, last_seen.platform_comment_id) as comment_id,
    last_seen.video_id,
    last_seen.platform_comment_id,
    last_seen.last.text,
    cast(left(sha256(last_seen.last.text), 32) as uuid) as text_id,
    last_seen.last.likes as like_count,
    last_seen.last.replies as reply_count,
    last_seen.last.handle as author_unique_id,
    last_seen.last.nickname as author_nickname,
    last_seen.last.posted as posted_at,
    last_seen.first_captured_at,
    last_seen.earliest_at,
    last_seen.captured_at,
    last_seen.last.batch as batch_seq
from last_seen
