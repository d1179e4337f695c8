"""OAuth 2.1 for `/api/mcp`: members authorize apps to act for them without an API key."""
