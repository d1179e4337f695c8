"""Bright Data: profiles and posts of TikTok and Instagram, by collections of its scrapers.

Each record has a price. Written from what it publishes of itself: see `routes.toml`.
"""
