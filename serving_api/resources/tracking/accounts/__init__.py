"""Accounts: the platform presences of creators, with their tracking settings."""
