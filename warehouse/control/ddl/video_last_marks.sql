-- int_video_last_marks of the last published run.
create table if not exists control.video_last_marks (
    video_id uuid not null,
    view_mark bigint,
    view_mark_before bigint,
    like_mark bigint,
    like_mark_before bigint,
    comment_mark bigint,
    comment_mark_before bigint,
    share_mark bigint,
    share_mark_before bigint,
    save_mark bigint,
    save_mark_before bigint,
    views_read_on date,
    views_read_before date,
    last_day date not null
);
