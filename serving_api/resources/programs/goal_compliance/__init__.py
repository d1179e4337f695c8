"""Goal compliance: who is on pace, and how periods ended."""
