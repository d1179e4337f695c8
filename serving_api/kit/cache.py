"""What was worked out once and may be given again for a while; bounded in time and in memory.

Knows nothing of what it keeps. Each process has its own.
"""

import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

from cachetools import TLRUCache

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    value: Value
    weight: int
    seconds: float


class Cache(Generic[Value]):
    """Values by key, until their time is over or newer use of others needs the room.

    `weight` is whatever the owner counts memory by; all values together weigh at most `most`.
    Time is the real, steady clock's. Safe to share by all threads.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = Lock()
        self._entries: TLRUCache[Hashable, _Entry[Value]] = TLRUCache(
            most,
            ttu=lambda _key, entry, now: now + entry.seconds,
            timer=clock,
            getsizeof=lambda entry: entry.weight,
        )

    def get(self, key: Hashable) -> Value | None:
        """Return what is kept under a key; None if nothing is, or no longer."""
        with self._lock:
            entry = self._entries.get(key)
        return None if entry is None else entry.value

    def put(self, key: Hashable, value: Value, *, weight: int, seconds: float) -> None:
        """Keep a value for so long; one that is heavier than all room is not kept."""
        with self._lock, suppress(ValueError):  # heavier than all room
            self._entries[key] = _Entry(value, weight, seconds)
