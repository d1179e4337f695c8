"""TikTok's Display API, asked as creators who have connected their accounts."""
