select
    posts.video_id,
    posts.creator_id,
    posts.view_captured_at,
    posts.others_captured_at
from posts
cross join marts.publication as publication
left join marts.accounts as accounts using (account_id)
where
    posts.others_captured_at > posts.view_captured_at + interval 28 hours
    or (
        posts.view_captured_at is null
        and posts.views_awaited_since < publication.as_of - interval 28 hours
        and coalesce(accounts.is_active, true)
    )
order by coalesce(posts.view_captured_at, posts.views_awaited_since), posts.video_id
limit 25
