"""Pages of comments: signals, sentiment, and the comments."""
