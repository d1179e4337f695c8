-- How every look at an account or a post ended. Append-only. A failed look is a row here and
-- never a reading.
create table if not exists raw.scrape_outcomes (
    account_id uuid, -- null for a post without an account
    video_id uuid, -- null for a look at an account
    job_type varchar not null, -- creator_profiles, discover_videos, video_stats
    outcome varchar not null, -- the closed set of scrapers/outcomes.py
    detail varchar,
    http_status bigint,
    source varchar,
    videos_seen bigint,
    reached_known boolean not null,
    started_at timestamptz not null,
    finished_at timestamptz not null,
    batch_seq bigint not null
);
