-- Which zone an organization had from when (money.md M3).
create or replace table operational.organization_zones (
    id uuid not null,
    organization_id uuid not null,
    analytics_tz varchar not null,
    valid_from timestamptz not null
);
