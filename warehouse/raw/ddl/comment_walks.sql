-- How every walk through a post's comments ended. Append-only. What a complete walk did not show is
-- gone; an unfinished one says nothing of what it did not show.
create table if not exists raw.comment_walks (
    video_id uuid not null, -- operational.videos.id
    outcome varchar not null, -- the closed set of scrapers/outcomes.py
    detail varchar,
    http_status bigint,
    is_complete boolean not null, -- it reached the end of the list
    platform_comment_count bigint, -- as the platform counts them, replies included
    collected_count bigint not null, -- comments that this walk showed
    source varchar,
    started_at timestamptz not null,
    finished_at timestamptz not null,
    batch_seq bigint not null
);
