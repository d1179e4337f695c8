"""Authentication and authorization: keys, principals, scopes, and their dependencies."""
