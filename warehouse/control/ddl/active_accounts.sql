-- int_active_accounts of the last published run.
create table if not exists control.active_accounts (
    account_id uuid not null,
    creator_id uuid not null,
    first_day date
);
