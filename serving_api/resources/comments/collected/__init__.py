"""Collected comments of viewers, and their summaries."""
