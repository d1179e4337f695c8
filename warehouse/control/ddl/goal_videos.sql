-- int_goal_videos of the last published run.
create table if not exists control.goal_videos (
    video_id uuid not null,
    creator_id uuid not null,
    account_id uuid,
    from_at timestamptz not null,
    until_at timestamptz not null,
    posted_at timestamptz,
    posted_on date,
    first_day date
);
