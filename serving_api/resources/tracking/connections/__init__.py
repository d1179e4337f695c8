"""Connections: accounts that creators connect through the platforms' official APIs."""
