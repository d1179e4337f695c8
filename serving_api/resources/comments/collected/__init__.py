"""What viewers wrote under posts, and what it says in sum."""
