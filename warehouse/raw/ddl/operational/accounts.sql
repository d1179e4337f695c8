-- Handles on platforms; removed ones stay with is_active false.
create or replace table operational.accounts (
    id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    creator_id uuid not null,
    platform varchar not null,
    handle varchar not null,
    platform_user_id varchar, -- null until a first profile was read
    display_name varchar,
    is_active boolean not null,
    removed_at timestamptz,
    deactivated_at timestamptz,
    last_scraped_at timestamptz,
    last_discovered_at timestamptz, -- posts published before are all known
    created_at timestamptz not null
);
