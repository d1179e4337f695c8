"""Organizations: the tenants."""
