"""How an API key looks, is made and is recognized (contract, Authentication 2).

Not here: who may do what with a key.
"""

import hashlib
import secrets

PREFIX = "svc_"
VISIBLE_DIGITS = 8


def new_api_key() -> tuple[str, bytes, str]:
    """Return a new key, its hash and the prefix it is listed by. Only the last two are kept."""
    key = PREFIX + secrets.token_hex(32)
    return key, hash_api_key(key), key[: len(PREFIX) + VISIBLE_DIGITS]


def hash_api_key(text: str) -> bytes:
    """Return the SHA-256 of a key as it was sent: 32 bytes.

    No salt and no stretching: a key has 256 random bits, and is looked up by this hash.
    """
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).digest()
