-- int_payout_kept_videos of the last published run.
create table if not exists control.payout_kept_videos (
    payee_id uuid not null,
    period_start date not null,
    view_count bigint,
    video_id uuid not null
);
