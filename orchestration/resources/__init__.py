"""Thin builders of the plain objects that assets work with; tests put their own in place."""
