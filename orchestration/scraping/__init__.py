"""Looking at the platforms: who is looked at, in which order, and how it ended."""
