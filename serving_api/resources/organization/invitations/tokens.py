"""Tokens of invitation links: shown once, stored as SHA-256."""

import hashlib
import secrets


def new_token() -> str:
    """Return a new token of 256 random bits."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """Return the stored hash of a token."""
    return hashlib.sha256(token.encode("utf-8", errors="surrogatepass")).digest()
