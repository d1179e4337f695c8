with

walks as (
    select * from {{ ref('stg_comment_walks') }}
),

comments as (
    select * from {{ ref('comments') }}
),

videos as (
    select * from {{ ref('videos') }}
),

walked as (
    select
        video_id,
        max(finished_at) filter (where outcome = 'ok' or collected_count > 0) as last_collected_at
    from walks
    group by video_id
),

counts as (
    select
        video_id,
        {{ comment_counts() }}
    from comments
    group by video_id
)

select
    walked.video_id,
    videos.organization_id,
    walked.last_collected_at,
    coalesce(counts.comment_count, 0) as comment_count,
    coalesce(counts.positive_count, 0) as positive_count,
    coalesce(counts.neutral_count, 0) as neutral_count,
    coalesce(counts.negative_count, 0) as negative_count,
    coalesce(counts.unscored_count, 0) as unscored_count,
    {%- for signal in comment_signals() %}
    coalesce(counts.{{ signal }}_count, 0) as {{ signal }}_count,
    {%- endfor %}
    coalesce(counts.flagged_count, 0) as flagged_count
from walked
inner join videos using (video_id)
left join counts using (video_id)
