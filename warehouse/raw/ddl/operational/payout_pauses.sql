-- When a creator’s payouts paused; instants of the decisions (money.md M6).
create or replace table operational.payout_pauses (
    id uuid not null,
    organization_id uuid not null,
    creator_id uuid not null,
    paused_at timestamptz not null,
    restarted_at timestamptz
);
