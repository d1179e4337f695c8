-- The reading behind each count of `counts`: the first that showed as much, or more if it was never read.

with

read_counts as (
    select
        counts.video_id,
        counts.counter,
        counts.target_count,
        deltas.captured_at,
        deltas.source,
        deltas.is_exact,
        case counts.counter
            when 'views' then deltas.view_count
            when 'likes' then deltas.like_count
            when 'comments' then deltas.comment_count
            when 'shares' then deltas.share_count
            when 'saves' then deltas.save_count
        end as read_count
    from counts
    inner join marts.video_deltas as deltas on counts.video_id = deltas.video_id
    where deltas.captured_at >= $from_at and deltas.captured_at <= $to_at
),

readings as (
    select
        video_id,
        counter,
        target_count,
        min(captured_at) as captured_at,
        arg_min(read_count, captured_at) as read_count,
        arg_min(source, captured_at) as source,
        arg_min(is_exact, captured_at) as is_exact
    from read_counts
    where target_count <= read_count
    group by video_id, counter, target_count
)

select
    cast(video_id as varchar) as video_id,
    counter,
    target_count,
    strftime(timezone('UTC', captured_at), '%Y-%m-%dT%H:%M:%S.%fZ') as captured_at,
    source,
    is_exact
from readings
where read_count = target_count
