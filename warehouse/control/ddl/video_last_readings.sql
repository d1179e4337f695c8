-- int_video_last_readings of the last published run.
create table if not exists control.video_last_readings (
    video_id uuid not null,
    first_captured_at timestamptz not null,
    last_captured_at timestamptz not null,
    view_count bigint,
    view_captured_at timestamptz,
    view_exact bigint,
    like_count bigint,
    like_captured_at timestamptz,
    like_exact bigint,
    comment_count bigint,
    comment_captured_at timestamptz,
    comment_exact bigint,
    share_count bigint,
    share_captured_at timestamptz,
    share_exact bigint,
    save_count bigint,
    save_captured_at timestamptz,
    save_exact bigint
);
