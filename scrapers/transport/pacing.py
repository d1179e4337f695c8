"""When the next request to a host may start: concurrency, spacing and pauses.

Time of a host is leased in windows that belong to one process. Within its window it starts
requests as evenly as if it were alone, without communication. Every wait uses one replaceable
`sleep` and one monotonic `now`, so that tests need not wait. `client` interprets the responses.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from random import SystemRandom

from scrapers.transport.hosts import Host, HostState, Keeper, Now, Transition

Sleep = Callable[[float], Awaitable[None]]
Sent = Callable[[], Awaitable[None]]
"""Called for each request sent."""


async def uncounted() -> None:
    """Count nothing."""


__all__ = ["HostPausedError", "Now", "Pace", "Pacer", "Share", "Sleep"]

LONGEST_WAIT = 60.0
"""Maximum seconds that a request waits for a pause to end; it fails at once behind a longer one."""
LONGEST_PAUSE = 3600.0
"""Maximum pause in seconds; a longer Retry-After is cut to this."""
LEASE_SECONDS = 4.0
"""The longest window: the maximum delay that a dead process causes for others."""
EVERYBODY = ""
"""The lane of every request."""

_draw = SystemRandom().random


@dataclass(frozen=True, slots=True)
class Share:
    """Fetches of one kind, limited to this rate of a host's requests."""

    name: str
    requests_per_second: float


@dataclass(frozen=True, slots=True)
class Pace:
    """Limits of requests to a host: concurrent ones, and starts per second.

    All processes with the same `keeper` share the rate; without one it applies per client. `share`
    limits one kind of fetches to a part of it. Each start is delayed by up to `jitter` of the
    spacing. `sent` is awaited for each request. Raises ValueError for a pace that allows no
    request.
    """

    concurrency: int
    requests_per_second: float
    keeper: Keeper | None = None
    share: Share | None = None
    jitter: float = 0.0
    sent: Sent = uncounted

    def __post_init__(self) -> None:
        rates = [
            self.requests_per_second,
            *([self.share.requests_per_second] if self.share else ()),
        ]
        if self.concurrency < 1 or min(rates) <= 0:
            raise ValueError(
                f"a pace needs a concurrency of at least 1 and a positive rate, got {self}"
            )


class HostPausedError(Exception):
    """The host requested a longer pause than a request waits; `seconds` are left."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the host requested a pause; {seconds:.0f} s are left")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Window:
    """Time of a host that one process has to itself."""

    begin: float
    end: float


def leased(
    lane: str, seconds: float, not_before: float, known_at: float = float("-inf")
) -> Transition[Window]:
    """Return the transition that leases time after other leases and any pause.

    `not_before` is by the keeper's clock as it was at `known_at`; it may have been set back since.
    """

    def transition(state: HostState, at: float) -> tuple[HostState, Window]:
        own = not_before - max(0.0, known_at - at)
        begin = max(at, state.free_at.get(lane, at), state.paused_until, own)
        window = Window(begin, begin + seconds)
        free_at = {**state.free_at, lane: window.end}
        return replace(state, free_at=free_at, leased_at=at), window

    return transition


def given_back(state: HostState, lane: str, end: float, used_until: float) -> HostState:
    """Return the state without the unused rest of a window, unless time after it is leased."""
    if state.free_at.get(lane) != end:
        return state
    return replace(state, free_at={**state.free_at, lane: min(used_until, end)})


class Lane:
    """Evenly spaced starts, in windows that start small and grow while they are used up."""

    def __init__(self, host: Host, name: str, interval: float, most_starts: int) -> None:
        self.interval = interval
        self._host = host
        self._name = name
        self._most = most_starts
        self._reserving = asyncio.Lock()
        self._window = Window(0.0, 0.0)
        self._starts = 0
        self._left = 0
        self._next = float("-inf")
        self._leased_at = float("-inf")

    async def reserve(self) -> float:
        async with self._reserving:
            was_set_back = self._host.now() < self._leased_at
            if was_set_back or not (self._left and self._soonest() < self._window.end):
                await self._lease()
            start = self._soonest()
            self._next = start + self.interval
            self._left -= 1
            return start

    def is_news_old(self) -> bool:
        """Return whether others may have reported a pause since the window was leased."""
        return self._host.seen_at < self._window.begin

    def give_back(self) -> None:
        """Release the rest of the window."""
        end, used_until = self._window.end, max(self._next, self._host.now())
        if used_until < end:
            self._host.note(lambda state, _at: given_back(state, self._name, end, used_until))
        self._left = 0

    def _soonest(self) -> float:
        host = self._host
        return max(host.now(), host.state.paused_until, self._window.begin, self._next)

    async def _lease(self) -> None:
        was_used_up = self._starts and not self._left
        self._starts = min(2 * self._starts, self._most) if was_used_up else 1
        seconds = self._starts * self.interval
        lease = leased(self._name, seconds, self._next, self._leased_at)
        self._window = await self._host.agree(lease)
        self._leased_at = self._host.seen_at
        self._next = self._window.begin
        self._left = self._starts


class Pacer:
    """Schedules the requests to one host."""

    def __init__(self, pace: Pace, host: Host, *, sleep: Sleep = asyncio.sleep) -> None:
        self._slots = asyncio.Semaphore(pace.concurrency)
        self._host = host
        self._lanes = _lanes(pace, host)
        self._jitter = pace.jitter
        self._sleep = sleep

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold one of the host's slots, from when the next request may start.

        Raises HostPausedError if a pause delays it by more than LONGEST_WAIT.
        """
        async with self._slots:
            await self._host.report_if_urgent()
            for lane in self._lanes:
                await self._wait_for_start(lane)
            yield

    def pause(self, seconds: float, connection: str | None = None) -> None:
        """Pause the host, or one connection, for `seconds`; never shortens a pause."""
        length = min(seconds, LONGEST_PAUSE)
        if length <= 0:
            return

        def paused(state: HostState, at: float) -> HostState:
            until = at + length
            if connection is None:
                return replace(state, paused_until=max(state.paused_until, until))
            pauses = state.connections_paused_until
            longer = {connection: max(pauses.get(connection, until), until)}
            return replace(state, connections_paused_until={**pauses, **longer})

        self._host.note(paused)
        self._host.hurry()

    async def pause_left(self, connection: str) -> float:
        """Return for how many seconds a connection is paused; 0 for none."""
        if self._host.seen_at == float("-inf"):
            await self._host.refresh()
        until = self._host.state.connections_paused_until.get(connection, 0.0)
        return max(0.0, until - self._host.now())

    async def aclose(self) -> None:
        """Release leased time, and send the remaining changes."""
        for lane in self._lanes:
            lane.give_back()
        await self._host.part()

    async def _wait_for_start(self, lane: Lane) -> None:
        """Reserve the next start and sleep until it; repeat if a pause began meanwhile."""
        while True:
            self._give_up_behind_a_long_pause()
            start = await lane.reserve()
            self._give_up_behind_a_long_pause()  # others may have reported one
            wait = start - self._host.now() + lane.interval * self._jitter * _draw()
            if wait > 0:
                await self._sleep(wait)
            if lane.is_news_old():
                await self._host.refresh()
            if start >= self._host.state.paused_until:
                return

    def _give_up_behind_a_long_pause(self) -> None:
        left = self._host.state.paused_until - self._host.now()
        if left > LONGEST_WAIT:
            raise HostPausedError(left)


def _lanes(pace: Pace, host: Host) -> list[Lane]:
    """Return a pace's lanes, the share's first: its waiting requests hold no common time."""
    rates = {EVERYBODY: pace.requests_per_second}
    if pace.share:
        rates = {pace.share.name: pace.share.requests_per_second} | rates
    most_starts = max(1, int(min(rates.values()) * LEASE_SECONDS))
    return [Lane(host, name, 1 / rate, most_starts) for name, rate in rates.items()]
