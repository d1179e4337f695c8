"""Instagram API with Instagram Login, asked as creators who have connected their accounts."""
