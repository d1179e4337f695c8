with

live as (
    select distinct creator_id
    from marts.accounts
    where
        organization_id = $organization_id
        and project_id = $project_id
        and is_active
        and not is_deactivated
),

latest as (
    select
        creator_id,
        max(appeared_at) as last_posted_at,
        max(appeared_on) as last_posted_on
    from posts
    inner join live using (creator_id)
    group by creator_id
)

select
    creator_id,
    last_posted_at,
    $today - last_posted_on as days
from latest
where last_posted_on <= $today - 14
order by last_posted_at, creator_id
limit 25
