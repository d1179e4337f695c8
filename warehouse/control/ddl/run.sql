-- The run under way: one row, replaced by begin_run. dbt reads it and nothing else.
create table if not exists control.run (
    run_id uuid not null,
    as_of timestamptz not null, -- readings taken later are ignored
    is_full_refresh boolean not null,
    from_batch_seq bigint not null, -- exclusive: the last published run's
    to_batch_seq bigint not null -- inclusive: the last batch ingested when the run began
);
