-- int_account_last_readings of the last published run.
create table if not exists control.account_last_readings (
    account_id uuid not null,
    first_captured_at timestamptz not null,
    last_captured_at timestamptz not null,
    follower_count bigint,
    follower_captured_at timestamptz,
    follower_exact bigint,
    following_count bigint,
    following_captured_at timestamptz,
    following_exact bigint,
    total_likes_count bigint,
    total_likes_captured_at timestamptz,
    total_likes_exact bigint,
    video_count bigint,
    video_captured_at timestamptz,
    video_exact bigint
);
