"""Passwords, kept so that nobody can read them (Argon2id).

Each hash takes 64 MiB: a process computes two at once, behind a short queue. Busy is raised where
the queue is full.
"""

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
    """Return what is wrong with a new password, None if it is taken."""
    if not SHORTEST <= len(password) <= LONGEST:
        return f"Use {SHORTEST} to {LONGEST:,} characters"
    return None


def hashing() -> AbstractContextManager[None]:
    """Return a block in which one password may be hashed or compared."""
    return HASHES.slot()


def hash_password(password: str) -> str:
    """Return what is stored of a password. Takes a good part of a tenth of a second."""
    with hashing():
        return _hasher.hash(password)


def is_right(password: str, stored: str | None) -> bool:
    """Whether a password is the one that is stored. Takes as long where none is.

    The caller is in a block of `hashing`, with whatever else belongs to the try.
    """
    try:
        _hasher.verify(stored or _nobodys(), password[: LONGEST + 1])
    except VerificationError:
        return False
    return stored is not None


@cache
def _nobodys() -> str:
    """Return the hash of a password that nobody knows."""
    return _hasher.hash(secrets.token_urlsafe())
