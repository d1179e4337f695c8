-- int_account_last_days of the last published run.
create table if not exists control.account_last_days (
    account_id uuid not null,
    analytics_tz varchar not null,
    first_day date
);
