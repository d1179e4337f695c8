"""Members: users in an organization, with a role."""
