-- What the build of a run made of what, written at its end: a later run leaves out what it would only
-- make again. It says something of the warehouse while that run is the last published one.
create table if not exists control.contents (
    run_id uuid not null,
    node varchar not null, -- dbt's unique id
    made_of varchar not null, -- digest of its statements and of what its parents hold
    holds varchar not null -- the same where the rows are the same
);
