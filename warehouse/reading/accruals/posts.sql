-- Counted posts that the creator has now, in the scope of the version of each accrual of `asked`.

select
    asked.accrual_id,
    asked.ends_at,
    timezone(asked.timezone, cast(asked.from_day as timestamp)) as begins_at,
    videos.video_id,
    videos.first_captured_at,
    videos.last_captured_at,
    videos.view_captured_at,
    videos.account_id,
    videos.posted_at_awaited_until,
    videos.views_due_from,
    videos.views_due_until,
    coalesce(videos.posted_at, videos.first_captured_at)
    + asked.view_lifetime_days * interval 24 hours as lifetime_ends_at
from asked
inner join marts.videos as videos
    on
        asked.creator_id = videos.creator_id
        and case coalesce(asked.platform_scope, 'all')
            when 'all' then true
            when 'platform' then asked.platform = videos.platform
            when 'account' then asked.account_id = videos.account_id
        end
where videos.organization_id = $organization_id and videos.is_counted
