-- Projects; archived ones stay.
create or replace table operational.projects (
    id uuid not null,
    organization_id uuid not null,
    name varchar not null,
    is_archived boolean not null,
    created_at timestamptz not null
);
