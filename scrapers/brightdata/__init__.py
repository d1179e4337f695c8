"""Bright Data: profiles and posts of TikTok and Instagram, by collections of its scrapers.

Each record has a price. Based on published documentation: see `routes.toml`.
"""
