{{ config(
    materialized="incremental",
    meta={"key": "video_id", "replaces": "entities", "touched": "int_touched_commented_videos"}
) }}

with

comments as (
    {{ scoped(ref('int_comment_sightings'), ref('int_touched_commented_videos'), "video_id") }}
),

texts as (
    select
        video_id,
        {{ local_day("earliest_at", 0) }} as written_on,
        any_value(length(text)) as letters, -- one value: all are the same text
        count(*) as times,
        sum(count(*)) over (partition by video_id, written_on) as written,
        min(earliest_at) as since_at,
        max(first_captured_at) as captured_at
    from comments
    group by video_id, written_on, text_id
),

days as (
    select
        video_id,
        written_on,
        min(since_at) as since_at,
        max(captured_at) as captured_at,
        cast(any_value(written) as bigint) as written, -- one value: all are of the same day
        cast(sum(times) as bigint) as repeated,
        count(*) as texts
    from texts
    where {{ repeats_itself() }}
    group by video_id, written_on
)

select
    video_id,
    captured_at,
    since_at,
    written,
    repeated,
    texts
from days
where {{ are_repeated() }}
qualify row_number() over (partition by video_id, captured_at order by repeated desc, written_on asc) = 1
