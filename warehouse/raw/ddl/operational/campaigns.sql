-- Mixed-platform groupings.
create or replace table operational.campaigns (
    id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    name varchar not null,
    created_at timestamptz not null
);
