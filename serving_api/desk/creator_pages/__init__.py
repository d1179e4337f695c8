"""Who is tracked, and how one of them does."""
