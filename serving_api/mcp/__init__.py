"""The MCP server at `/api/mcp`: operations of the REST API as tools for agents."""
