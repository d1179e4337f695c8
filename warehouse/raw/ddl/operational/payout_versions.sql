-- The rules of payout structures, version by version; a version never changes.
create or replace table operational.payout_versions (
    id uuid not null,
    organization_id uuid not null,
    structure_id uuid not null,
    number integer not null,
    period varchar,
    amount_cents bigint,
    criteria_type varchar not null,
    criteria_params json not null,
    proration_mode varchar not null,
    backfill_on_assignment boolean not null,
    period_anchor integer,
    platform_scope varchar not null,
    platform varchar,
    account_id uuid,
    created_at timestamptz not null
);
