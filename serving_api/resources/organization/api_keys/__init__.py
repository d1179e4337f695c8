"""API keys: create, list and revoke them."""
