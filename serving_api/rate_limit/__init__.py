"""How many requests are answered: sliding windows of a minute, and an organization's day."""
