"""Deactivating and reactivating accounts and creators: what is decided, and all it brings along."""
