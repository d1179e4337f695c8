"""What was worked out once and may be given again for a while; bounded in time and in memory.

Knows nothing of what it keeps. Each process has its own.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    value: Value
    weight: int
    until: float


class Kept(Generic[Value]):
    """Values by key, until their time is over or newer use of others needs the room.

    `weight` is whatever the owner counts memory by; all values together weigh at most `most`.
    Time is the real, steady clock's. Safe to share by all threads.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._entries: OrderedDict[Hashable, _Entry[Value]] = OrderedDict()
        self._weight = 0

    def get(self, key: Hashable) -> Value | None:
        """Return what is kept under a key; None if nothing is, or no longer."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if entry.until <= self._clock():
                self._drop(key)
                return None
            self._entries.move_to_end(key)
            return entry.value

    def put(self, key: Hashable, value: Value, *, weight: int, seconds: float) -> None:
        """Keep a value for so long; one that is heavier than all room is not kept."""
        with self._lock:
            if key in self._entries:
                self._drop(key)
            if weight > self._most:
                return
            self._entries[key] = _Entry(value, weight, self._clock() + seconds)
            self._weight += weight
            while self._weight > self._most:
                self._drop(next(iter(self._entries)))

    def _drop(self, key: Hashable) -> None:
        self._weight -= self._entries.pop(key).weight
