select
    visits.platform,
    count(*) as accounts,
    min(greatest(visits.due_at, added.at)) as since
from visits
left join lateral (
    select min(created_at) as at
    from (
        select created_at from accounts
        where
            visits.looked_at is null
            and accounts.platform = visits.platform
            and accounts.platform_user_id = visits.subject
        union all
        select created_at from accounts
        where
            visits.looked_at is null
            and accounts.platform = visits.platform
            and accounts.handle = substr(visits.subject, 2)
            and starts_with(visits.subject, '@')
        union all
        select videos.created_at
        from post_looks inner join videos on post_looks.video_id = videos.id
        where
            post_looks.looked_at is null
            and post_looks.platform = visits.platform
            and post_looks.subject = visits.subject
    ) as never
) as added on visits.oldest_at is null
where visits.platform = any(%(platforms)s) and visits.due_at <= %(now)s
group by visits.platform
order by visits.platform
