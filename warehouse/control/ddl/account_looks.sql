-- int_account_looks of the last published run.
create table if not exists control.account_looks (
    account_id uuid not null,
    last_profile_at timestamptz,
    last_discovery_at timestamptz,
    last_success_at timestamptz,
    last_outcome varchar,
    last_outcome_at timestamptz not null,
    failures_since_success bigint not null
);
