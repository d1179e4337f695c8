with

read_at as (
    select
        posts.video_id,
        posts.creator_id,
        videos.view_captured_at as views_read_at,
        greatest(
            videos.like_captured_at,
            videos.comment_captured_at,
            videos.share_captured_at,
            videos.save_captured_at
        ) as others_read_at
    from posts
    inner join marts.videos as videos using (video_id)
)

select * from read_at
where others_read_at > views_read_at + interval 28 hours
order by views_read_at, video_id
limit 25
