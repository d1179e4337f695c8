"""ScrapeCreators: profiles, posts and comments of TikTok and Instagram, one credit per response.

Based on published documentation: see `routes.toml`.
"""
