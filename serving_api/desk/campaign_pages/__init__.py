"""What belongs to which campaign, and how one of them does."""
