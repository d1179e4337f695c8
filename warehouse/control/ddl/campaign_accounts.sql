-- int_campaign_accounts of the last published run.
create table if not exists control.campaign_accounts (
    campaign_id uuid not null,
    account_id uuid not null,
    first_day date
);
