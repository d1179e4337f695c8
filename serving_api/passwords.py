"""Passwords, kept so that nobody can read them (Argon2id).

Each hash takes 64 MiB: a process computes two at once, behind a short queue. The functions that
hash raise Busy where the queue is full.
"""

import secrets
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from serving_api.kit.shares import Shares

SHORTEST = 10
LONGEST = 1_000

HASHES = Shares("passwordsAtOnce", 2, 2, queue=8)

_hasher = PasswordHasher()


def problem_of(password: str) -> str | None:
    """Return what is wrong with a new password, None if it is taken."""
    if not SHORTEST <= len(password) <= LONGEST:
        return f"Use {SHORTEST} to {LONGEST:,} characters"
    return None


def hash_password(password: str) -> str:
    """Return what is stored of a password. Takes a good part of a tenth of a second."""
    with HASHES.place():
        return _hasher.hash(password)


def is_right(password: str, stored: str | None) -> bool:
    """Whether a password is the one that is stored. Takes as long where none is."""
    try:
        with HASHES.place():
            _hasher.verify(stored or _nobodys(), password[: LONGEST + 1])
    except VerificationError:
        return False
    return stored is not None


@cache
def _nobodys() -> str:
    """Return the hash of a password that nobody knows."""
    return _hasher.hash(secrets.token_urlsafe())
