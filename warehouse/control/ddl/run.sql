-- The run under way: one row, replaced by begin_run. It is what dbt reads of it.
create table if not exists control.run (
    run_id uuid not null,
    as_of timestamptz not null,
    is_full_refresh boolean not null,
    follows_unfinished boolean not null,
    from_batch_seq bigint not null,
    to_batch_seq bigint not null,
    from_copy bigint not null,
    to_copy bigint not null,
    previous_as_of timestamptz,
    first_reading_at timestamptz,
    backfill_from timestamptz,
    backfill_to timestamptz
);
