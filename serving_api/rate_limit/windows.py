"""Sliding windows of a minute, in memory or in Redis for several processes.

`allowances` decides what is counted and the limits. The in-memory windows are own code because
those of `limits` start a thread for nearly every request and do not accept a clock.
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
"""Per bucket: addresses are unlimited, and each takes a kilobyte."""

_log = structlog.get_logger(__name__)


class Windows(Protocol):
    """A window per bucket and identity."""

    def consume(self, bucket: str, identity: str, limit: int) -> int:
        """Count a request; return 0, or the seconds to wait."""
        ...

    def left(self, bucket: str, identity: str, limit: int) -> tuple[int, int]:
        """Return how many requests are left, and in how many seconds there are more."""
        ...


class MemoryWindows:
    """Windows of one process: exact, and lost when it ends.

    Above the limit, a bucket drops its least recent identity, so that addresses never displace
    keys.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._buckets: defaultdict[str, dict[str, deque[float]]] = defaultdict(dict)
        self._swept_at = now()

    def consume(self, bucket: str, identity: str, limit: int) -> int:
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

    def left(self, bucket: str, identity: str, limit: int) -> tuple[int, int]:
        with self._lock:
            now = self._now()
            times = self._buckets[bucket].get(identity, ())
            counted = [at for at in times if at > now - WINDOW_SECONDS]
            seconds = math.ceil(counted[0] + WINDOW_SECONDS - now) if counted else 0
            return max(limit - len(counted), 0), seconds

    def _latest(self, windows: dict[str, deque[float]], identity: str) -> deque[float]:
        """Return the identity's window, now the most recent."""
        times = windows.pop(identity, None)
        if times is None:
            times = deque()
            if len(windows) >= MOST_IDENTITIES:
                del windows[next(iter(windows))]
        windows[identity] = times
        return times

    def _drop_expired(self, now: float) -> None:
        """Drop idle identities, once per window."""
        if now - self._swept_at < WINDOW_SECONDS:
            return
        self._swept_at = now
        for windows in self._buckets.values():
            silent = [who for who, times in windows.items() if times[-1] <= now - WINDOW_SECONDS]
            for who in silent:
                del windows[who]


class RedisWindows:
    """Windows shared by several processes. While Redis is down, each process counts in memory."""

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
        try:
            return self._consume(RateLimitItemPerMinute(limit), bucket, identity)
        except RedisError as error:
            _log.warning("redis unreachable, counting in memory", error=type(error).__name__)
            return self._meanwhile.consume(bucket, identity, limit)

    def left(self, bucket: str, identity: str, limit: int) -> tuple[int, int]:
        try:
            stats = self._limiter.get_window_stats(RateLimitItemPerMinute(limit), bucket, identity)
        except RedisError:
            return self._meanwhile.left(bucket, identity, limit)
        return max(stats.remaining, 0), max(0, math.ceil(stats.reset_time - time.time()))

    def _consume(self, item: RateLimitItemPerMinute, bucket: str, identity: str) -> int:
        if self._limiter.hit(item, bucket, identity):
            return 0
        free_at = self._limiter.get_window_stats(item, bucket, identity).reset_time
        return max(1, math.ceil(free_at - time.time()))
