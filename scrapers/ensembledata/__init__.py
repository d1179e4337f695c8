"""EnsembleData: profiles, posts and comments of TikTok for a unit an answer.

Written from what it publishes of itself: see `routes.toml`. It reads Instagram too, by routes whose
answers and prices it does not show in public: they are not asked.
"""
