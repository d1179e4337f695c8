with new_posts as (
    select
        coming.*,
        turn.at
    from coming inner join turn
        on coming.platform = turn.platform and coming.subject = turn.subject
    where turn.is_account and coming.posted_at <= turn.at
),

known as (
    insert into videos
    (id, organization_id, creator_id, platform, platform_video_id, posted_at, created_at)
    select
        id,
        organization_id,
        creator_id,
        platform,
        platform_video_id,
        posted_at,
        at
    from new_posts
),

growing as (
    insert into growth (video_id, posted_at, views, since, step)
    select
        id,
        posted_at,
        0 as views,
        posted_at as since,
        step
    from new_posts
),

scheduled as (
    insert into post_looks
    (video_id, organization_id, platform, platform_video_id, subject, due_at, reason)
    select
        id,
        organization_id,
        platform,
        platform_video_id,
        subject,
        posted_at as due_at,
        'never_fetched' as reason
    from new_posts
)

delete from coming using new_posts
where coming.id = new_posts.id
