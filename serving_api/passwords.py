"""Passwords of people: which are taken, and how they are kept (Argon2id)."""

from argon2 import PasswordHasher

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
