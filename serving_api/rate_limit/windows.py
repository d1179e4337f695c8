"""Sliding windows of a minute: in this process's memory, or in Redis for several processes.

What belongs here: counting. Who is counted, and by which limit, is `allowances`'. The windows in
memory are our own, because those of `limits` start a thread for nearly every request and cannot be
given a clock.
"""

import math
import time
from collections import deque
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

_log = structlog.get_logger(__name__)


class Windows(Protocol):
    """One window for each bucket and identity."""

    def take(self, bucket: str, identity: str, limit: int) -> int:
        """Count a request; return 0, or after how many seconds there is room for it again."""
        ...


class MemoryWindows:
    """Windows of one process: exact, and gone with it."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._taken: dict[tuple[str, str], deque[float]] = {}
        self._swept_at = now()

    def take(self, bucket: str, identity: str, limit: int) -> int:
        """Count a request; return 0, or after how many seconds there is room for it again."""
        with self._lock:
            now = self._now()
            self._sweep(now)
            taken = self._taken.setdefault((bucket, identity), deque())
            while taken and taken[0] <= now - WINDOW_SECONDS:
                taken.popleft()
            if len(taken) >= limit:
                return math.ceil(taken[0] + WINDOW_SECONDS - now)
            taken.append(now)
            return 0

    def _sweep(self, now: float) -> None:
        """Forget, once a window, whoever made no request in it: addresses come without end."""
        if now - self._swept_at < WINDOW_SECONDS:
            return
        self._swept_at = now
        silent = [key for key, taken in self._taken.items() if taken[-1] <= now - WINDOW_SECONDS]
        for key in silent:
            del self._taken[key]


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

    def take(self, bucket: str, identity: str, limit: int) -> int:
        """Count a request; return 0, or after how many seconds there is room for it again."""
        try:
            return self._take(RateLimitItemPerMinute(limit), bucket, identity)
        except RedisError as error:
            _log.warning("redis unreachable, counting in memory", error=type(error).__name__)
            return self._meanwhile.take(bucket, identity, limit)

    def _take(self, item: RateLimitItemPerMinute, bucket: str, identity: str) -> int:
        if self._limiter.hit(item, bucket, identity):
            return 0
        free_at = self._limiter.get_window_stats(item, bucket, identity).reset_time
        return max(1, math.ceil(free_at - time.time()))
