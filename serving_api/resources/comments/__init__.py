"""Comments under posts, and their settings."""
