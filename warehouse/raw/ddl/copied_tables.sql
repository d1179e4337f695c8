-- How far the copy of each followed table of operational.* reaches.
drop table if exists raw.incremental_copies; -- of earlier versions, about one table

create table if not exists raw.copied_tables (
    table_name varchar not null,
    origin varchar not null, -- the database, and the history of its transactions, copied from
    layout varchar not null, -- a digest of the table's DDL: another one is copied anew
    up_to bigint not null, -- transactions before this one are in the copy, all of them
    copies bigint not null, -- the number of this copy; they count from 1
    left_in bigint not null -- that of the last one that took rows out, or began anew
);
