"""The secret in an invitation's link: shown once, kept as its SHA-256."""

import hashlib
import secrets


def new_token() -> str:
    """Return a new token of 256 random bits."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", errors="surrogatepass")).digest()
