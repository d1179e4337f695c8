"""Exports: datasets as CSV, streamed, page by page. Each dataset is an entry of `registry`."""
