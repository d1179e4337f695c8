with

suspects as (
    select * from {{ ref('int_suspect_readings') }}
),

posts as (
    select * from {{ ref('stg_videos') }}
),

-- A post that several projects track counts once, and its creators there are one owner: bought views must not
-- explain themselves.

shared as (
    select
        organization_id,
        platform,
        platform_video_id,
        min(video_id) as post_id,
        min(creator_id) as first_creator_id
    from posts
    group by organization_id, platform, platform_video_id
    having count(*) > 1
),

owners as (
    select
        posts.creator_id,
        min(shared.first_creator_id) as owner_id
    from posts
    inner join shared using (organization_id, platform, platform_video_id)
    where posts.creator_id is not null
    group by posts.creator_id
),

videos as (
    select
        posts.video_id,
        posts.organization_id,
        posts.platform,
        posts.posted_at,
        coalesce(shared.post_id, posts.video_id) as post_id,
        coalesce(owners.owner_id, posts.creator_id, shared.first_creator_id, posts.video_id) as owner_id,
        posts.is_counted and posts.creator_id is not null as is_compared
    from posts
    left join shared using (organization_id, platform, platform_video_id)
    left join owners using (creator_id)
),

last_readings as (
    select * from {{ ref('int_video_last_readings') }}
),

-- A day's movement shows in readings of that day, the day before and the day after.

moved as (
    select
        suspects.video_id,
        videos.post_id,
        videos.organization_id,
        videos.platform,
        videos.owner_id,
        videos.is_compared,
        list_contains(suspects.reasons, 'fall') as is_fall,
        unnest([suspects.day - 1, suspects.day, suspects.day + 1]) as day
    from suspects
    inner join videos using (video_id)
    where list_has_any(suspects.reasons, {{ movements() }})
),

-- Creators' counted posts on which a movement of a fifth would show, for the days they were read: until its
-- next reading is due, a post without a movement counts as unmoved.

followed as (
    select
        videos.post_id,
        videos.organization_id,
        videos.platform,
        videos.owner_id,
        min(greatest(last_readings.first_captured_at, videos.posted_at + interval 7 days)) as from_at,
        max(last_readings.last_captured_at + {{ read_within() }}) as to_at,
        {{ local_day("from_at", 0) }} as from_day,
        {{ local_day("to_at", 0) }} as to_day
    from videos
    inner join last_readings using (video_id)
    where videos.is_compared and {{ would_show("last_readings") }}
    group by videos.post_id, videos.organization_id, videos.platform, videos.owner_id
    having from_day <= to_day
),

moved_by_owner as (
    select
        moved.organization_id,
        moved.platform,
        moved.owner_id,
        moved.is_fall,
        moved.day,
        count(distinct moved.post_id) filter (where moved.is_compared) as moved_posts,
        count(distinct followed.post_id) as moved_followed_posts
    from moved
    left join followed
        on
            moved.post_id = followed.post_id
            and moved.owner_id = followed.owner_id
            and moved.day between followed.from_day and followed.to_day
    group by all
),

changes as (
    select
        organization_id,
        platform,
        owner_id,
        from_day as day,
        1 as change
    from followed
    union all
    select
        organization_id,
        platform,
        owner_id,
        to_day + 1 as day,
        -1 as change
    from followed
),

followed_by_owner as (
    select
        organization_id,
        platform,
        owner_id,
        day,
        sum(sum(change)) over (
            partition by organization_id, platform, owner_id order by day
        ) as followed_posts
    from changes
    group by organization_id, platform, owner_id, day
),

followed_by_all as (
    select
        organization_id,
        platform,
        day,
        sum(sum(change)) over (partition by organization_id, platform order by day) as followed_posts
    from changes
    group by organization_id, platform, day
),

compared as (
    select
        organization_id,
        platform,
        owner_id,
        is_fall,
        day,
        count(*) filter (where moved_posts > 0) over alike - if(moved_posts > 0, 1, 0) as other_owners,
        sum(moved_posts) over alike - moved_posts as other_moved_posts,
        sum(moved_followed_posts) over alike - moved_followed_posts as other_moved_followed_posts
    from moved_by_owner
    window alike as (partition by organization_id, platform, is_fall, day)
),

movements as (
    select
        compared.organization_id,
        compared.platform,
        compared.owner_id,
        compared.is_fall,
        compared.day,
        compared.other_owners,
        cast(compared.other_moved_posts as bigint) as other_moved_posts,
        cast(
            compared.other_moved_posts + greatest(
                coalesce(followed_by_all.followed_posts, 0)
                - coalesce(followed_by_owner.followed_posts, 0)
                - compared.other_moved_followed_posts,
                0
            ) as bigint
        ) as other_posts
    from compared
    asof left join followed_by_owner
        on
            compared.organization_id = followed_by_owner.organization_id
            and compared.platform = followed_by_owner.platform
            and compared.owner_id = followed_by_owner.owner_id
            and compared.day >= followed_by_owner.day
    asof left join followed_by_all
        on
            compared.organization_id = followed_by_all.organization_id
            and compared.platform = followed_by_all.platform
            and compared.day >= followed_by_all.day
)

select distinct
    moved.video_id,
    movements.is_fall,
    movements.day,
    movements.other_owners,
    movements.other_moved_posts,
    movements.other_posts
from movements
inner join moved using (organization_id, platform, owner_id, day)
where {{ is_platform_wide() }}
order by moved.video_id, movements.is_fall, movements.day
