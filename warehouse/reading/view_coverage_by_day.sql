with

posts as (
    select
        videos.video_id,
        cast(timezone($zone, videos.views_due_from) as date) + 1 as first_day,
        cast(timezone($zone, videos.views_due_until) as date) as until_day
    from marts.videos as videos
    left join marts.accounts as accounts using (account_id)
    where
        videos.organization_id = $organization_id
        and videos.project_id = $project_id
        and videos.is_counted
        and videos.views_due_from is not null
        and coalesce(accounts.is_active, true)
),

days as (
    select cast(unnest(generate_series($from_day, $to_day, interval 1 day)) as date) as day
),

due as (
    select
        posts.video_id,
        days.day
    from days
    inner join posts
        on
            days.day >= posts.first_day
            and (posts.until_day is null or days.day < posts.until_day)
),

readings as (
    select
        video_id,
        cast(timezone($zone, captured_at) as date) as day,
        count(view_count) as views
    from marts.video_deltas
    semi join posts using (video_id)
    where captured_at >= $from_at and captured_at < $until_at
    group by all
)

select
    due.day,
    count(*) as readings_due,
    count(*) filter (where readings.views > 0) as readings_came,
    count(*) filter (where readings.views = 0) as readings_without_views
from due
left join readings using (video_id, day)
group by due.day
