with

suspects as (
    select * from {{ ref('int_suspect_readings') }}
),

videos as (
    select
        video_id,
        project_id,
        platform,
        posted_at,
        coalesce(creator_id, video_id) as owner_id,
        is_counted and creator_id is not null as is_compared
    from {{ ref('stg_videos') }}
),

last_readings as (
    select * from {{ ref('int_video_last_readings') }}
),

-- A day's movement shows in readings of that day, the day before and the day after.

moved as (
    select
        suspects.video_id,
        videos.project_id,
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
        videos.video_id,
        videos.project_id,
        videos.platform,
        videos.owner_id,
        {{ local_day("greatest(last_readings.first_captured_at, videos.posted_at + interval 7 days)", 0) }}
            as from_day,
        {{ local_day("last_readings.last_captured_at + " ~ read_within(), 0) }} as to_day
    from videos
    inner join last_readings using (video_id)
    where videos.is_compared and {{ would_show("last_readings") }} and from_day <= to_day
),

moved_by_owner as (
    select
        moved.project_id,
        moved.platform,
        moved.owner_id,
        moved.is_fall,
        moved.day,
        count(distinct moved.video_id) filter (where moved.is_compared) as moved_posts,
        count(distinct followed.video_id) as moved_followed_posts
    from moved
    left join followed
        on moved.video_id = followed.video_id and moved.day between followed.from_day and followed.to_day
    group by all
),

changes as (
    select
        project_id,
        platform,
        owner_id,
        from_day as day,
        1 as change
    from followed
    union all
    select
        project_id,
        platform,
        owner_id,
        to_day + 1 as day,
        -1 as change
    from followed
),

followed_by_owner as (
    select
        project_id,
        platform,
        owner_id,
        day,
        sum(sum(change)) over (partition by project_id, platform, owner_id order by day) as followed_posts
    from changes
    group by project_id, platform, owner_id, day
),

followed_by_project as (
    select
        project_id,
        platform,
        day,
        sum(sum(change)) over (partition by project_id, platform order by day) as followed_posts
    from changes
    group by project_id, platform, day
),

compared as (
    select
        project_id,
        platform,
        owner_id,
        is_fall,
        day,
        count(*) filter (where moved_posts > 0) over alike - if(moved_posts > 0, 1, 0) as other_owners,
        sum(moved_posts) over alike - moved_posts as other_moved_posts,
        sum(moved_followed_posts) over alike - moved_followed_posts as other_moved_followed_posts
    from moved_by_owner
    window alike as (partition by project_id, platform, is_fall, day)
),

movements as (
    select
        compared.project_id,
        compared.platform,
        compared.owner_id,
        compared.is_fall,
        compared.day,
        compared.other_owners,
        cast(compared.other_moved_posts as bigint) as other_moved_posts,
        cast(
            compared.other_moved_posts + greatest(
                coalesce(followed_by_project.followed_posts, 0)
                - coalesce(followed_by_owner.followed_posts, 0)
                - compared.other_moved_followed_posts,
                0
            ) as bigint
        ) as other_posts
    from compared
    asof left join followed_by_owner
        on
            compared.project_id = followed_by_owner.project_id
            and compared.platform = followed_by_owner.platform
            and compared.owner_id = followed_by_owner.owner_id
            and compared.day >= followed_by_owner.day
    asof left join followed_by_project
        on
            compared.project_id = followed_by_project.project_id
            and compared.platform = followed_by_project.platform
            and compared.day >= followed_by_project.day
)

select * from movements
where {{ is_platform_wide() }}
order by project_id, platform, owner_id, is_fall, day
