"""Search in a project."""
