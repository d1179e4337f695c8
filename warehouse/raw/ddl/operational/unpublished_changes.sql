-- What was written that no publication showed when this copy was made; a publication of it does.
create or replace table operational.unpublished_changes (
    id bigint not null,
    table_name varchar not null -- where the transaction began to write
);
