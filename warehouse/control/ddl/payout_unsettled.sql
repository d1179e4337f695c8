-- int_payout_unsettled of the last published run.
create table if not exists control.payout_unsettled (
    accrual_id uuid not null
);
