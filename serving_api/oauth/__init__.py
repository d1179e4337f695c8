"""OAuth 2.1 for `/api/mcp`: members let programs act for them, without showing them a key."""
