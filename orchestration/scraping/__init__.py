"""Fetch the platforms: who is fetched, in which order, and how it ended."""
