with

summed as (
    select
        is_current,
        count(*) as posts,
        count(distinct creator_id) as active_creators,
        sum(views) as views,
        rules.engagement_rate(
            rules.engagement(sum(likes), sum(comments), sum(shares), sum(saves)), sum(views)
        ) as engagement_rate
    from counted
    group by is_current
),

windows as (
    select unnest([true, false]) as is_current
)

select
    coalesce(posts, 0),
    coalesce(active_creators, 0),
    if(posts is null, 0, views),
    engagement_rate
from windows
left join summed using (is_current)
order by is_current desc
