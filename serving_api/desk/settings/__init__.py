"""Settings of the organization and the project."""
