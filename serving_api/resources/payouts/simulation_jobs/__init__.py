"""Simulations that take longer than a request: queued, computed in slices, stored for 7 days."""
