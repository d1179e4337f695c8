create temporary table copied_videos as
select
    videos.id,
    videos.organization_id,
    videos.creator_id,
    videos.platform,
    videos.platform_video_id,
    videos.posted_at,
    videos.created_at
from videos
where exists (
    select from post_looks as fetches
    where fetches.video_id = videos.id
);
alter table copied_videos rename to videos;
alter table videos add primary key (id);
create index copied_posts on videos (platform, platform_video_id);
create temporary table staged_seen (
    platform text, platform_video_id text, captured_at timestamptz, views bigint
);
create temporary table turn (
    platform text, subject text, at timestamptz, with_account boolean, is_account boolean
);
create temporary table listed (
    video_id uuid, platform text, platform_video_id text, subject text, at timestamptz,
    is_account boolean, is_due boolean, rank bigint
);
create index listed_visits on listed (platform, subject);
create temporary table reached (
    platform text, subject text, at timestamptz, with_account boolean, pages int, lone int
);
create temporary table waited (
    video_id uuid, began timestamptz, ended timestamptz
);
create temporary table lists (platform text primary key, a_page int, most_pages int);
create temporary table allowed (platform text primary key, visits int, others int)
