"""`tracker demo`: a simulated month over real HTTP, checked against the simulator's counts."""
