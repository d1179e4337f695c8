"""Password hashes (Argon2id), and tokens of links: shown once, stored as SHA-256.

Each password hash takes 64 MiB: a process computes two at once, behind a short queue. Raises Busy
if the queue is full.
"""

import hashlib
import secrets
from contextlib import AbstractContextManager
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from serving_api.kit.shares import Shares

SHORTEST = 10
LONGEST = 1_000

HASHES = Shares("passwordsAtOnce", 2, 2, queue=8)

_hasher = PasswordHasher()


def problem_of(password: str) -> str | None:
    """Return what is wrong with a new password, or None."""
    if not SHORTEST <= len(password) <= LONGEST:
        return f"Enter {SHORTEST} to {LONGEST:,} characters"
    return None


def hashing() -> AbstractContextManager[None]:
    """Return a context in which one password may be hashed or verified."""
    return HASHES.slot()


def hash_password(password: str) -> str:
    """Return the hash of a password. Takes almost 0.1 seconds."""
    with hashing():
        return _hasher.hash(password)


def is_right(password: str, stored: str | None) -> bool:
    """Return whether the password matches, taking as long without a stored hash.

    The caller holds `hashing` during the whole attempt.
    """
    try:
        _hasher.verify(stored or _hash_of_unknown(), password[: LONGEST + 1])
    except VerificationError:
        return False
    return stored is not None


@cache
def _hash_of_unknown() -> str:
    """Return the hash of a random password, for constant time."""
    return _hasher.hash(secrets.token_urlsafe())


def new_token() -> str:
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """Return the stored hash of a token."""
    return hashlib.sha256(token.encode("utf-8", errors="surrogatepass")).digest()
