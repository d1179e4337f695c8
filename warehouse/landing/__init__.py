"""The landing zone: immutable Parquet batches, from a scrape to the archive."""
