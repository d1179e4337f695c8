"""Invitations: offers of membership, accepted on a page of their own."""
