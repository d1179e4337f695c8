"""`tracker demo`: a simulated month over real HTTP, and what the numbers should be."""
