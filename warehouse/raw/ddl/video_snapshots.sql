-- Every reading of a post's counters, as observed. Append-only. NULL = not shown, never 0.
create table if not exists raw.video_snapshots (
    video_id uuid not null, -- operational.videos.id
    captured_at timestamptz not null,
    view_count bigint,
    like_count bigint,
    comment_count bigint,
    share_count bigint,
    save_count bigint,
    is_exact boolean not null, -- false: the platform rounds what this route shows
    source varchar not null, -- the route read, or import
    batch_seq bigint not null -- raw.batches.batch_seq
);
