"""What a program consists of: campaigns, goals, conversions, tags, notes."""
