"""Search over all that a project has."""
