"""What people say below posts, and what an organization collects of it."""
