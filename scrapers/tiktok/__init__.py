"""TikTok's public web pages: profiles, a creator's posts, one post. No login, no signatures."""
