-- int_payout_stretches of the last published run.
create table if not exists control.payout_stretches (
    payee_id uuid not null,
    state varchar not null,
    from_day date not null
);
