-- Counted posts that the creator has now, in the scope of the version of each accrual of `requested`.

select
    requested.accrual_id,
    requested.ends_at,
    requested.begins_at,
    videos.video_id,
    videos.first_captured_at,
    videos.last_captured_at,
    videos.view_captured_at,
    videos.account_id,
    videos.posted_at_awaited_until,
    videos.views_due_from,
    videos.views_due_until,
    coalesce(videos.posted_at, videos.first_captured_at)
    + requested.view_lifetime_days * interval 24 hours as lifetime_ends_at
from requested
inner join marts.videos as videos
    on
        requested.creator_id = videos.creator_id
        and case coalesce(requested.platform_scope, 'all')
            when 'all' then true
            when 'platform' then requested.platform = videos.platform
            when 'account' then requested.account_id = videos.account_id
        end
where videos.organization_id = $organization_id and videos.is_counted
