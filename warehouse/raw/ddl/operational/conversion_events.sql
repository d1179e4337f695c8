-- Outcome types; deactivated ones stay with is_active false.
create or replace table operational.conversion_events (
    id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    name varchar not null,
    currency varchar not null, -- ISO 4217, of all its conversions
    is_active boolean not null,
    created_at timestamptz not null
);
