"""Instagram's public pages and guest queries: profiles, posts, the reels tab. No login."""
