"""Invitations: offers of membership, accepted on their own page."""
