with

weeks as (
    select
        count(*) filter (where appeared_on > $today - 7) as this_week,
        count(*) filter (where appeared_on > $today - 14 and appeared_on <= $today - 7) as last_week
    from posts
)

select * from weeks
