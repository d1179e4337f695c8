create or replace temporary table counted as

with

windowed as (
    select
        *,
        appeared_on >= $from_day as is_current
    from posts
    where appeared_on >= $prior_from
),

prior_counts as (
    select
        video_id,
        arg_max(cumulative_views, day) as views,
        arg_max(cumulative_likes, day) as likes,
        arg_max(cumulative_comments, day) as comments,
        arg_max(cumulative_shares, day) as shares,
        arg_max(cumulative_saves, day) as saves
    from marts.video_daily
    where
        video_id in (
            select video_id from windowed
            where not is_current
        )
        and day >= $prior_from
        and day < $from_day
    group by video_id
)

select
    windowed.video_id,
    windowed.creator_id,
    windowed.is_current,
    if(windowed.is_current, windowed.view_count, prior_counts.views) as views,
    if(windowed.is_current, windowed.like_count, prior_counts.likes) as likes,
    if(windowed.is_current, windowed.comment_count, prior_counts.comments) as comments,
    if(windowed.is_current, windowed.share_count, prior_counts.shares) as shares,
    if(windowed.is_current, windowed.save_count, prior_counts.saves) as saves
from windowed
left join prior_counts using (video_id)
