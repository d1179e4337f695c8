"""Goals: what creators are to reach in each day, week or month."""
