"""Goal compliance: which goals are on pace, and how periods ended."""
