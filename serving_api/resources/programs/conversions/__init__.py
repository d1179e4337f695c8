"""Conversions: outcomes attributed to creators, accounts and videos."""
