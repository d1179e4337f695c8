"""Accounts: the platform presences of creators, where tracking is configured."""
