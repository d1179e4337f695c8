"""When the next request to a host may start: concurrency, spacing and pauses.

Every wait goes through one replaceable `sleep` and one monotonic `now`, so that tests wait for
nothing. What the answers mean is `client.py`'s.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

Sleep = Callable[[float], Awaitable[None]]
Now = Callable[[], float]

LONGEST_WAIT = 60.0
"""Seconds that a request waits for a pause to end; behind a longer one it is given up at once."""
LONGEST_PAUSE = 3600.0
"""Seconds that a host may ask us to stay away; an absurd Retry-After is cut to this."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How hard a host may be asked: requests under way at once, and started in a second."""

    concurrency: int
    requests_per_second: float

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.requests_per_second <= 0:
            raise ValueError(f"a pace needs at least one request at a time and a rate, got {self}")


class HostPausedError(Exception):
    """The host asked to be left alone for longer than a request waits; `seconds` are left."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the host asked for a pause; {seconds:.0f} s are left")
        self.seconds = seconds


class Pacer:
    """Hands out turns to ask one host."""

    def __init__(
        self, pace: Pace, *, sleep: Sleep = asyncio.sleep, now: Now = time.monotonic
    ) -> None:
        self._slots = asyncio.Semaphore(pace.concurrency)
        self._interval = 1 / pace.requests_per_second
        self._sleep = sleep
        self._now = now
        self._next_start = now()
        self._paused_until = now()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold one of the host's slots, entered when the next request may start.

        Raises HostPausedError where that is further away than LONGEST_WAIT because of a pause.
        """
        async with self._slots:
            await self._wait_for_start()
            yield

    def pause(self, seconds: float) -> None:
        """Let nobody ask for `seconds`; never shortens a pause that is under way."""
        until = self._now() + min(max(seconds, 0.0), LONGEST_PAUSE)
        self._paused_until = max(self._paused_until, until)

    async def _wait_for_start(self) -> None:
        """Reserve the next start and sleep until it; again where a pause began meanwhile."""
        while True:
            self._give_up_behind_a_long_pause()
            start = max(self._now(), self._next_start, self._paused_until)
            self._next_start = start + self._interval
            if start > self._now():
                await self._sleep(start - self._now())
            if start >= self._paused_until:
                return

    def _give_up_behind_a_long_pause(self) -> None:
        left = self._paused_until - self._now()
        if left > LONGEST_WAIT:
            raise HostPausedError(left)
