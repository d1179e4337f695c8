"""The lake: the marts of all shards in one DuckLake, for analysts with any DuckDB.

Its catalog is a schema of the service's PostgreSQL, its rows are Parquet in a folder or bucket
(TRACKER_LAKE_URL; without it, there is no lake). Each shard has its own schema, and `marts` has
views over all of them. It follows publications; the API never reads it.

It has the numbers of all organizations: a reader of the catalog can read them all.
"""
