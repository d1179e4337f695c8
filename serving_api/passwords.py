"""Passwords, kept so that nobody can read them (Argon2id)."""

import secrets
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

SHORTEST = 10
LONGEST = 1_000

_hasher = PasswordHasher()


def problem_of(password: str) -> str | None:
    """Return what is wrong with a new password, None if it is taken."""
    if not SHORTEST <= len(password) <= LONGEST:
        return f"Use {SHORTEST} to {LONGEST:,} characters"
    return None


def hash_password(password: str) -> str:
    """Return what is stored of a password. Takes a good part of a tenth of a second."""
    return _hasher.hash(password)


def is_right(password: str, stored: str | None) -> bool:
    """Whether a password is the one that is stored. Takes as long where none is."""
    try:
        return _hasher.verify(stored or _nobodys(), password[: LONGEST + 1]) and stored is not None
    except VerificationError:
        return False


@cache
def _nobodys() -> str:
    """Return the hash of a password that nobody knows."""
    return _hasher.hash(secrets.token_urlsafe())
