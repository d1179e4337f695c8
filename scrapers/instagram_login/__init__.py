"""Instagram API with Instagram Login, used as creators who connected their accounts."""
