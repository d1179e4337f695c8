"""What is posted, and which posts gained most."""
