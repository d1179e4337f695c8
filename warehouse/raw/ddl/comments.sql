-- Every comment as a walk through a post's comments showed it. Append-only: a text that was edited
-- and a like count that moved are further rows, and the latest ones count. NULL = not shown.
create table if not exists raw.comments (
    video_id uuid not null, -- operational.videos.id
    platform_comment_id varchar not null,
    text varchar not null, -- empty for a picture or sticker alone
    like_count bigint,
    reply_count bigint, -- answers to it; they are counted, not collected
    author_unique_id varchar, -- the handle, lower case
    author_nickname varchar,
    posted_at timestamptz,
    captured_at timestamptz not null,
    source varchar not null, -- the route read
    batch_seq bigint not null -- raw.batches.batch_seq
);
