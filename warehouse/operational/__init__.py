"""The operational store: PostgreSQL, embedded or any by URL, and what people decide in it."""
