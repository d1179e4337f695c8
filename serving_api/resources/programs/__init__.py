"""Programs: campaigns, goals, conversions, tags and notes."""
