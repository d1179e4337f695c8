-- Up to which transaction of PostgreSQL each table of operational.* that is large was copied.
create table if not exists raw.incremental_copies (
    table_name varchar not null,
    origin varchar not null, -- the database, and the history of its transactions, copied from
    layout varchar not null, -- a digest of the table's DDL: another one is copied anew
    up_to bigint not null -- transactions before this one are in the copy, all of them
);
