-- int_payout_videos of the last published run.
create table if not exists control.payout_videos (
    video_id uuid not null,
    creator_id uuid not null,
    account_id uuid,
    from_at timestamptz not null,
    until_at timestamptz not null,
    timezone varchar not null,
    is_counted boolean not null,
    posted_at timestamptz,
    posted_on date,
    first_read_on date
);
