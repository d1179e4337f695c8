-- What a goal was from when (money.md M21); the last state of a deleted one says so.
create or replace table operational.goal_states (
    id uuid not null,
    goal_id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    creator_id uuid not null,
    metric varchar not null, -- posts, views, engagement, followers
    period varchar not null, -- daily, weekly, monthly
    target_value bigint not null,
    start_date date, -- a day of the organization's zone; null: judged from the first facts on
    end_date date, -- likewise, inclusive; null: open
    is_active boolean not null,
    platform_scope varchar not null, -- all, platform, account
    platform varchar,
    account_id uuid,
    is_deleted boolean not null,
    valid_from timestamptz not null
);
