"""How long a crawl waits for a platform that asks to be left alone (429 with Retry-After).

Fetches of a crawl wait for one and the same pause beside each other: it counts once.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

Sleep = Callable[[float], Awaitable[None]]
Now = Callable[[], float]
OnWait = Callable[[float], None]


class Patience:
    """So many seconds of waiting in all; `on_wait` is told of each pause that is waited for.

    `sleep` and `now` (monotonic) are there to be replaced.
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
        """Wait so long and return True; False, at once, where that is more than is left."""
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
"""Of what never waits."""
