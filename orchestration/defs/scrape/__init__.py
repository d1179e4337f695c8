"""Scrapes: from the platforms to landed batches."""
