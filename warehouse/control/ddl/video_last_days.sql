-- int_video_last_days of the last published run.
create table if not exists control.video_last_days (
    video_id uuid not null,
    analytics_tz varchar not null,
    first_day date,
    last_day date,
    last_new_views bigint,
    last_new_likes bigint,
    last_new_comments bigint,
    last_new_shares bigint,
    last_new_saves bigint
);
