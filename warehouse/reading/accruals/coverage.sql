-- How many of the readings of views that were due came, of each accrual of `requested` over its `$days`.

with

tracked as (
    select posts.*
    from posts
    left join marts.accounts as accounts using (account_id)
    where coalesce(accounts.is_active, true)
),

covered_days as (
    select unnest(
        from_json(
            $days,
            '[{
                "accrual_id": "UUID", "day": "DATE",
                "starts_at": "TIMESTAMPTZ", "over_at": "TIMESTAMPTZ"
            }]'
        ),
        max_depth := 2
    )
),

days as (
    select *
    from covered_days
    where over_at <= (select as_of from marts.publication)
),

bounds as (
    select
        accrual_id,
        min(day) as from_day,
        max(day) as to_day
    from days
    group by accrual_id
),

due as (
    select
        days.*,
        tracked.video_id
    from tracked
    inner join days
        on
            tracked.accrual_id = days.accrual_id
            and tracked.views_due_from < days.starts_at
    where
        (tracked.views_due_until is null or tracked.views_due_until >= days.over_at)
        and (tracked.lifetime_ends_at is null or tracked.lifetime_ends_at >= days.over_at)
),

readings as (
    select
        deltas.video_id,
        deltas.captured_at
    from marts.video_deltas as deltas
    semi join due using (video_id)
    where
        deltas.view_count is not null
        and deltas.captured_at >= $from_at
        and deltas.captured_at < $until_at
)

select
    due.accrual_id,
    cast(bounds.from_day as varchar) as from_day,
    cast(bounds.to_day as varchar) as to_day,
    count(*) as readings_due,
    count(*) filter (where readings.captured_at >= due.starts_at) as readings_came
from due
inner join bounds using (accrual_id)
asof left join readings
    on due.video_id = readings.video_id and due.over_at > readings.captured_at
group by all
