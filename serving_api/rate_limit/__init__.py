"""Rate limits: sliding windows of a minute, and an organization's daily limit."""
