-- int_payout_conversion_days of the last published run.
create table if not exists control.payout_conversion_days (
    creator_id uuid not null,
    utc_day date not null,
    conversions bigint not null,
    digest ubigint not null
);
