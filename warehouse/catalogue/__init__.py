"""What the tables are that no model makes: each declared once, here, and everywhere else derived.

Batches of scrapes (`landed`), raw tables (`raw`), copies of PostgreSQL's tables (`operational`) and
the control tables (`control`), with the counters that readings show (`counters`). From these come
DDL, the schemas of Parquet files, what is copied, Dagster's assets, and, by `make catalogue`, dbt's
sources and counters. Marts are dbt's, and described beside their SQL.

Nothing here reads or writes a warehouse.
"""
