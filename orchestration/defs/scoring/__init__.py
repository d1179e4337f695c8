"""What comments say."""
