-- When accounts were deactivated and came back (money.md M3); null reactivated_at: not yet.
create or replace table operational.account_deactivations (
    id uuid not null,
    account_id uuid not null,
    deactivated_at timestamptz not null,
    reactivated_at timestamptz
);
