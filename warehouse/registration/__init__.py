"""Registration: the only way of landed batches into PostgreSQL, each exactly once."""
