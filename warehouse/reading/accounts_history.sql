select
    captured_at,
    follower_count,
    following_count,
    total_likes_count,
    video_count
from marts.account_snapshots
where
    account_id = $account_id
    and captured_at >= $from_instant
    and captured_at < $to_instant
    and exists (
        select 1
        from marts.accounts
        where account_id = $account_id and organization_id = $organization_id
    )
order by captured_at
limit $limit
