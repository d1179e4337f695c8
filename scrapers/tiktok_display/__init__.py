"""TikTok's Display API, used as creators who connected their accounts."""
