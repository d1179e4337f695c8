-- Payout structures, archived ones too; their rules are payout_versions.
create or replace table operational.payout_structures (
    id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    name varchar not null,
    is_active boolean not null,
    archived_at timestamptz,
    timezone varchar,
    created_at timestamptz not null
);
