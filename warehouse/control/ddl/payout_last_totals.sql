-- int_payout_last_totals of the last published run.
create table if not exists control.payout_last_totals (
    payee_id uuid not null,
    period_start date not null,
    period_end date not null,
    carry_in bigint not null,
    carry_out bigint not null,
    running_total_before decimal(38, 9) not null,
    running_total decimal(38, 9) not null
);
