"""Deactivate and reactivate accounts and creators, with their videos and payouts."""
