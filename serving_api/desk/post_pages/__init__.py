"""Pages of posts."""
