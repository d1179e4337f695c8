with

by_day as (
    select
        posts.account_id,
        posts.appeared_on as day,
        count(*) as posts
    from posts
    inner join marts.accounts as accounts using (account_id)
    where accounts.is_active and not accounts.is_deactivated
    group by posts.account_id, posts.appeared_on
),

busy as (
    select
        account_id,
        greatest(min(day), $prior_from) as from_day,
        sum(posts) filter (where day > $today - 3) as recent_posts
    from by_day
    group by account_id
    having recent_posts >= 6
),

calendar as (
    select
        account_id,
        recent_posts,
        unnest(generate_series(from_day, $today - 3, interval 1 day)) as day
    from busy
),

usual as (
    select
        calendar.account_id,
        calendar.recent_posts,
        median(coalesce(by_day.posts, 0)) as posts_a_day
    from calendar
    left join by_day
        on calendar.account_id = by_day.account_id and cast(calendar.day as date) = by_day.day
    group by calendar.account_id, calendar.recent_posts
)

select
    usual.account_id,
    accounts.creator_id,
    accounts.platform,
    accounts.handle,
    usual.recent_posts,
    usual.posts_a_day
from usual
inner join marts.accounts as accounts using (account_id)
where usual.recent_posts > 2 * 3 * usual.posts_a_day
order by usual.recent_posts desc, usual.account_id asc
limit 25
