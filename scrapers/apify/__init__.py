"""Apify: profiles and posts of TikTok and Instagram, by runs of Actors from its store.

Each result has a price. Based on published documentation: see `routes.toml`.
"""
