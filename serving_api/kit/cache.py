"""A cache bounded by time and weight, one per process."""

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
    """Values by key, until they expire or more recent ones need the space.

    `weight` is in the owner's unit; all values together weigh at most `most`. Uses a monotonic
    clock. Thread-safe.
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
        """Return the cached value, or None."""
        with self._lock:
            entry = self._entries.get(key)
        return None if entry is None else entry.value

    def put(self, key: Hashable, value: Value, *, weight: int, seconds: float) -> None:
        """Cache a value; one that exceeds the total weight is not cached."""
        with self._lock, suppress(ValueError):  # heavier than the whole cache
            self._entries[key] = _Entry(value, weight, seconds)
