-- Tenants, with the zone in force now.
create or replace table operational.organizations (
    id uuid not null,
    name varchar not null,
    plan varchar not null,
    analytics_tz varchar not null, -- IANA zone whose calendar days count now
    is_suspended boolean not null,
    payout_settling_days integer not null,
    conversion_payouts_enabled boolean not null,
    created_at timestamptz not null
);
