"""Builders of what tests need, one module a domain: rows in the store, rows of a batch."""
