"""Identifiers: UUIDv7 for rows that are decided, UUIDv5 for rows that are computed."""

import os
import threading
import time
from uuid import NAMESPACE_URL, UUID, uuid5

_NAMESPACE = uuid5(NAMESPACE_URL, "https://creator-tracker.invalid/computed")

_DRAWN = 512
"""Bytes of randomness drawn at once.

Each draw lets go of the interpreter (CPython 3.11) and takes it back before another thread wakes,
whose wait then begins anew: who made thousands of ids held all others up for 0.1 s.
"""


class _Randomness(threading.local):
    """What a thread drew and did not use yet."""

    left = b""


_randomness = _Randomness()
os.register_at_fork(after_in_child=lambda: setattr(_randomness, "left", b""))


def uuid7() -> UUID:
    """Return a new time-ordered id (RFC 9562, version 7), from the real clock.

    The twelve bits after the milliseconds hold their fraction (method 3 there), so that rows made
    one after the other in one process sort as they were made.
    """
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    fraction = (rest << 12) // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | fraction << 64 | _random_bits()
    return UUID(int=value | 0x7 << 76 | 0b10 << 62)


def _random_bits() -> int:
    """Return 62 bits of the system's randomness, none of which were returned before."""
    if not _randomness.left:
        _randomness.left = os.urandom(_DRAWN)
    drawn, _randomness.left = _randomness.left[:8], _randomness.left[8:]
    return int.from_bytes(drawn) >> 2


def computed_id(*parts: object) -> UUID:
    """Return the id of a computed row: the same parts give the same id on every run."""
    return uuid5(_NAMESPACE, "\x1f".join(str(part) for part in parts))
