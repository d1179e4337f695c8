with

days as (
    select cast(unnest(generate_series($from_day, $to_day, interval 1 day)) as date) as day
),

daily as (
    select
        day,
        new_views
    from marts.creator_daily
    where
        organization_id = $organization_id
        and creator_id = $creator_id
        and new_views is not null
)

select
    days.day,
    -- a day without a row changed nothing, once views are known
    if(days.day >= (select min(known.day) from daily as known), coalesce(daily.new_views, 0), null) as views
from days
left join daily using (day)
order by days.day
