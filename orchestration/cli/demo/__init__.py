"""`tracker demo`: three simulated weeks over real HTTP, and what the numbers should be."""
