"""Instagram's official API, 'business discovery': professional accounts and their posts."""
