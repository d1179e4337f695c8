"""API keys: making, listing and revoking them."""
