"""Sliding windows of a minute: in this process's memory, or in Redis for several processes.

What belongs here: counting. Who is counted, and by which limit, is `allowances`'. The windows in
memory are our own, because those of `limits` start a thread for nearly every request and cannot be
given a clock.
"""

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable
from threading import Lock
from typing import Protocol

import structlog
from limits import RateLimitItemPerMinute
from limits.storage import RedisStorage
from limits.strategies import MovingWindowRateLimiter
from redis.exceptions import RedisError

WINDOW_SECONDS = 60
REDIS_TIMEOUT_SECONDS = 0.25
MOST_IDENTITIES = 20_000
"""Of one bucket: addresses come without end, and each takes a kilobyte."""

_log = structlog.get_logger(__name__)


class Windows(Protocol):
    """One window for each bucket and identity."""

    def consume(self, bucket: str, identity: str, limit: int) -> int:
        """Count a request; return 0, or after how many seconds there is room for it again."""
        ...


class MemoryWindows:
    """Windows of one process: exact, and gone with it.

    Where there are more identities than are remembered, the one silent for longest is forgotten; in
    each bucket for itself, so that addresses push out no key.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._buckets: defaultdict[str, dict[str, deque[float]]] = defaultdict(dict)
        self._swept_at = now()

    def consume(self, bucket: str, identity: str, limit: int) -> int:
        """Count a request; return 0, or after how many seconds there is room for it again."""
        with self._lock:
            now = self._now()
            self._drop_expired(now)
            times = self._latest(self._buckets[bucket], identity)
            while times and times[0] <= now - WINDOW_SECONDS:
                times.popleft()
            if len(times) >= limit:
                return math.ceil(times[0] + WINDOW_SECONDS - now)
            times.append(now)
            return 0

    def _latest(self, windows: dict[str, deque[float]], identity: str) -> deque[float]:
        """Return the window of who asks, now the last of all."""
        times = windows.pop(identity, None)
        if times is None:
            times = deque()
            if len(windows) >= MOST_IDENTITIES:
                del windows[next(iter(windows))]
        windows[identity] = times
        return times

    def _drop_expired(self, now: float) -> None:
        """Forget, once a window, whoever made no request in it."""
        if now - self._swept_at < WINDOW_SECONDS:
            return
        self._swept_at = now
        for windows in self._buckets.values():
            silent = [who for who, times in windows.items() if times[-1] <= now - WINDOW_SECONDS]
            for who in silent:
                del windows[who]


class RedisWindows:
    """Windows that several processes share. While Redis is away each counts for itself."""

    def __init__(self, url: str) -> None:
        self._limiter = MovingWindowRateLimiter(
            RedisStorage(
                url,
                wrap_exceptions=False,
                key_prefix="tracker",
                socket_timeout=REDIS_TIMEOUT_SECONDS,
                socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
            )
        )
        self._meanwhile = MemoryWindows()

    def consume(self, bucket: str, identity: str, limit: int) -> int:
        """Count a request; return 0, or after how many seconds there is room for it again."""
        try:
            return self._consume(RateLimitItemPerMinute(limit), bucket, identity)
        except RedisError as error:
            _log.warning("redis unreachable, counting in memory", error=type(error).__name__)
            return self._meanwhile.consume(bucket, identity, limit)

    def _consume(self, item: RateLimitItemPerMinute, bucket: str, identity: str) -> int:
        if self._limiter.hit(item, bucket, identity):
            return 0
        free_at = self._limiter.get_window_stats(item, bucket, identity).reset_time
        return max(1, math.ceil(free_at - time.time()))
