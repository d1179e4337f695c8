"""ScrapeCreators: profiles, posts and comments of TikTok and Instagram for a credit an answer.

Written from what it publishes of itself: see `routes.toml`.
"""
