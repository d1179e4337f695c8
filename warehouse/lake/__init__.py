"""The lake: the marts of all shards in one DuckLake, which any DuckDB attaches, for analysts.

Its catalog is a schema of the service's PostgreSQL, its rows are Parquet in a folder or a bucket
(TRACKER_LAKE_URL; without it, there is none). Each shard has a schema of its own, and `marts` has
views over all of them. It follows publications; the API never reads it.

It holds the numbers of every organization: who may read the catalog may read them all.
"""
