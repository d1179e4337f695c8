"""Fetches the platforms: which accounts, in which order, and with which outcome."""
