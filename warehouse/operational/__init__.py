"""The operational store: PostgreSQL, embedded or by URL."""
