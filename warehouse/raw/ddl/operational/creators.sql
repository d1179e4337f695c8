-- People and brands whose accounts are tracked; removed ones stay.
create or replace table operational.creators (
    id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    display_name varchar,
    is_active boolean not null,
    removed_at timestamptz,
    deactivated_at timestamptz,
    created_at timestamptz not null
);
