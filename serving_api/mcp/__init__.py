"""The MCP server at `/api/mcp`: the operations of the REST API as tools of agents."""
