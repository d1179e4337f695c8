-- Which models computed the past that is kept here, one row: a digest of their sources.
create table if not exists control.models (
    version varchar not null
);
