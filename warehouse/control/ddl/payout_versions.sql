-- int_payout_versions of the last published run.
create table if not exists control.payout_versions (
    version_id uuid not null
);
