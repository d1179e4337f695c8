"""Format, creation and hashing of API keys (contract, Authentication 2)."""

import hashlib
import secrets

PREFIX = "svc_"
VISIBLE_DIGITS = 8


def new_api_key() -> tuple[str, bytes, str]:
    """Return a new key, its hash and its listed prefix. Only the last two are stored."""
    key = PREFIX + secrets.token_hex(32)
    return key, hash_api_key(key), key[: len(PREFIX) + VISIBLE_DIGITS]


def hash_api_key(text: str) -> bytes:
    """Return the SHA-256 of a key as sent: 32 bytes.

    No salt and no stretching: a key has 256 random bits and is looked up by its hash.
    """
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).digest()
