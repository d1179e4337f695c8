-- The video registry, with each post's owner and status as of now.
create or replace table operational.videos (
    id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    creator_id uuid, -- null for a post that nobody owns
    account_id uuid, -- likewise
    platform varchar not null,
    platform_video_id varchar not null, -- unique with platform and project
    url varchar not null,
    caption varchar,
    media_type varchar,
    duration_seconds integer,
    tracking_status varchar not null,
    tracking_disabled boolean not null,
    plan_limit_paused_at timestamptz,
    frozen_at timestamptz,
    stopped_at timestamptz,
    posted_at timestamptz,
    posted_at_is_estimate boolean not null,
    created_at timestamptz not null
);
