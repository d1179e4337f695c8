-- int_payout_payees of the last published run.
create table if not exists control.payout_payees (
    payee_id uuid not null,
    timezone varchar not null
);
