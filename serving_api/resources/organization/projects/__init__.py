"""Projects: what holds creators and campaigns."""
