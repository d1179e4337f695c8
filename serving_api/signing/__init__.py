"""Signed documents that anyone can verify with this server's public key."""
