-- The last published run: none or one row, replaced by advance.
create table if not exists control.published (
    run_id uuid not null,
    as_of timestamptz not null,
    to_batch_seq bigint not null,
    to_copy bigint not null,
    first_reading_at timestamptz
);
