"""Simulations that take longer than a request: asked for, computed in slices, kept for days."""
