"""Organizations: projects, members, API keys, webhooks and settings."""
