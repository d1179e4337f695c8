"""Declares each table that is not a dbt model once; everything else derives from it.

Tables are batches of scrapes (`landed`), raw tables (`raw`), copies of PostgreSQL's tables
(`operational`) and control tables (`control`). `counters` has the counters of readings. From these
follow DDL, Parquet schemas, the copies, Dagster's assets, and through `make catalogue`, dbt's
sources and counters. Marts are described beside their SQL.

Nothing here reads or writes a warehouse.
"""
