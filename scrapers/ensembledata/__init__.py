"""EnsembleData: profiles, posts and comments of TikTok, at one unit per response.

Based on published documentation: see `routes.toml`. Its Instagram routes are not used, because
their responses and prices are not public.
"""
