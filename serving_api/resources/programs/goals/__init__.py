"""Goals: what creators should reach in each day, week or month."""
