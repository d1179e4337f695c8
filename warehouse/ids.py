"""Identifiers: UUIDv7 for rows that are decided, UUIDv5 for rows that are computed."""

import secrets
import time
from uuid import NAMESPACE_URL, UUID, uuid5

_NAMESPACE = uuid5(NAMESPACE_URL, "https://creator-tracker.invalid/computed")


def uuid7() -> UUID:
    """Return a new time-ordered id (RFC 9562, version 7), from the real clock.

    The twelve bits after the milliseconds hold their fraction (method 3 there), so that rows made
    one after the other in one process sort as they were made.
    """
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    fraction = (rest << 12) // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | fraction << 64 | secrets.randbits(62)
    return UUID(int=value | 0x7 << 76 | 0b10 << 62)


def computed_id(*parts: object) -> UUID:
    """Return the id of a computed row: the same parts give the same id on every run."""
    return uuid5(_NAMESPACE, "\x1f".join(str(part) for part in parts))
