"""Videos: tracked posts, discovered or added by URL."""
