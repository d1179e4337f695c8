-- Every reading of a profile's counters, as observed. Append-only. NULL = not shown, never 0.
create table if not exists raw.account_snapshots (
    account_id uuid not null, -- operational.accounts.id
    captured_at timestamptz not null,
    follower_count bigint,
    following_count bigint,
    total_likes_count bigint,
    video_count bigint, -- posts as the platform counts them
    is_exact boolean not null,
    source varchar not null,
    batch_seq bigint not null
);
