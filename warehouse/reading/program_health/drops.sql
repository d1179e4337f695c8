with

days as (
    select
        daily.video_id,
        posts.creator_id,
        daily.day,
        daily.new_views
        - if(daily.day = posts.views_known_on, coalesce(posts.view_before_tracking, 0), 0) as views
    from marts.video_daily as daily
    inner join posts using (video_id)
    where daily.day > $today - 6 and daily.day <= $today
),

gained as (
    select
        video_id,
        creator_id,
        sum(views) filter (where day > $today - 3) as recent_views,
        sum(views) filter (where day <= $today - 3) as earlier_views
    from days
    group by video_id, creator_id
)

select * from gained
where earlier_views >= 1000 and 10 * recent_views < 3 * earlier_views
order by earlier_views - recent_views desc, video_id
limit 25
