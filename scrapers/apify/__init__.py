"""Apify: profiles and posts of TikTok and Instagram, by runs of programs that its store offers.

Each result has a price. Written from what it and they publish of themselves: see `routes.toml`.
"""
