"""Identifiers: UUIDv7 for rows that people or the service create, UUIDv5 for computed rows."""

import os
import threading
import time
from datetime import date
from uuid import NAMESPACE_URL, UUID, uuid5

UUID_TEXT = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
_NAMESPACE = uuid5(NAMESPACE_URL, "https://creator-tracker.invalid/computed")

_DRAWN = 512
"""Bytes of randomness drawn at a time.

os.urandom releases CPython's interpreter lock (3.11), and a thread that waits for it starts over.
Thousands of single draws delayed all other threads by 0.1 s.
"""


class _Randomness(threading.local):
    """Random bytes drawn by this thread and not yet used."""

    left = b""


_randomness = _Randomness()
os.register_at_fork(after_in_child=lambda: setattr(_randomness, "left", b""))


def uuid7() -> UUID:
    """Return a new time-ordered id (RFC 9562, version 7), from the real clock.

    The twelve bits after the milliseconds have their fraction (method 3 of the RFC), so that rows
    created one after the other in a process sort in that order.
    """
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    fraction = (rest << 12) // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | fraction << 64 | _random_bits()
    return UUID(int=value | 0x7 << 76 | 0b10 << 62)


def _random_bits() -> int:
    """Return 62 fresh bits of the system's randomness."""
    if not _randomness.left:
        _randomness.left = os.urandom(_DRAWN)
    drawn, _randomness.left = _randomness.left[:8], _randomness.left[8:]
    return int.from_bytes(drawn) >> 2


def computed_id(*parts: object) -> UUID:
    """Return the id of a computed row. The same parts give the same id in every build."""
    return uuid5(_NAMESPACE, "\x1f".join(str(part) for part in parts))


_ACCRUALS = UUID("5b0f6c1e-3d0a-5a52-9a0e-6f1f0c8f3b77")


def accrual_id(structure_id: UUID, creator_id: UUID, period_start: date) -> UUID:
    """Return the id of a period's accrual (money.md M16), as the macro `accrual_id` computes it."""
    return uuid5(_ACCRUALS, f"{structure_id}/{creator_id}/{period_start}")


def adjustment_id(accrual: UUID, number: int) -> UUID:
    """Return the id of an adjustment (money.md M19), as the macro `adjustment_id` computes it."""
    return uuid5(accrual, str(number))
