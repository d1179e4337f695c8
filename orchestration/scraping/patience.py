"""Limits how long a crawl waits for pauses that a platform requests (429 with Retry-After).

Concurrent fetches wait for the same pause, which counts once.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

Sleep = Callable[[float], Awaitable[None]]
Now = Callable[[], float]
OnWait = Callable[[float], None]


class Patience:
    """Total seconds to wait; `on_wait` is called with each pause.

    Tests replace `sleep` and `now` (monotonic).
    """

    def __init__(
        self,
        seconds: float,
        *,
        on_wait: OnWait = lambda _seconds: None,
        sleep: Sleep = asyncio.sleep,
        now: Now = time.monotonic,
    ) -> None:
        self._left = seconds
        self._on_wait = on_wait
        self._sleep = sleep
        self._now = now
        self._waiting_until = now()

    async def outlasts(self, seconds: float) -> bool:
        """Wait that long and return True, or return False at once if it exceeds the rest."""
        now = self._now()
        until = now + seconds
        more = max(0.0, until - max(now, self._waiting_until))
        if more > self._left:
            return False
        if more:
            self._on_wait(seconds)
        self._left -= more
        self._waiting_until = max(self._waiting_until, until)
        await self._sleep(seconds)
        return True


NONE = Patience(0)
"""For work that never waits."""
