-- Payments of every status.
create or replace table operational.payout_payments (
    id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    creator_id uuid not null,
    amount_cents bigint not null,
    currency varchar not null,
    status varchar not null,
    paid_at timestamptz,
    created_at timestamptz not null,
    copied_in bigint not null -- the copy that brought the row as it is
);
