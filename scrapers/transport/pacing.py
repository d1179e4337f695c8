"""When the next request to a host may start: concurrency, spacing and pauses.

Time of a host is leased in windows that belong to one process alone: within its window it starts
requests as evenly as if there were no other, and asks nobody. Every wait goes through one
replaceable `sleep` and one monotonic `now`, so that tests wait for nothing. What the answers mean
is `client`'s.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from random import SystemRandom

from scrapers.transport.hosts import Host, HostState, Keeper, Now, Transition

Sleep = Callable[[float], Awaitable[None]]
Sent = Callable[[], Awaitable[None]]
"""Told of each request that is sent."""


async def uncounted() -> None:
    """Count nothing."""


__all__ = ["HostPausedError", "Now", "Pace", "Pacer", "Share", "Sleep"]

LONGEST_WAIT = 60.0
"""Seconds that a request waits for a pause to end; behind a longer one it is given up at once."""
LONGEST_PAUSE = 3600.0
"""Seconds that a host may ask us to stay away; an absurd Retry-After is cut to this."""
LEASE_SECONDS = 4.0
"""The longest window: so long at most a process that died keeps the others waiting."""
EVERYBODY = ""
"""The lane in which every request starts, whatever it is for."""

_draw = SystemRandom().random


@dataclass(frozen=True, slots=True)
class Share:
    """Fetches of one kind, which may take so many of a host's requests in a second."""

    name: str
    requests_per_second: float


@dataclass(frozen=True, slots=True)
class Pace:
    """How hard a host may be asked: requests under way at once, and started in a second.

    The rate is kept by all together who have the same `keeper`; without one, by a client alone.
    `share` holds a kind of fetches to a part of it. Each start is later than its time by up to
    `jitter` of the spacing. `sent` is awaited for each request. Raises ValueError for a pace that
    never asks.
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
            raise ValueError(f"a pace needs at least one request at a time and a rate, got {self}")


class HostPausedError(Exception):
    """The host asked to be left alone for longer than a request waits; `seconds` are left."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the host asked for a pause; {seconds:.0f} s are left")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Window:
    """Time of a host that one process has to itself."""

    begin: float
    end: float


def leased(lane: str, seconds: float, not_before: float) -> Transition[Window]:
    """Return the transition that leases so much time, behind other leases and any pause."""

    def transition(state: HostState, at: float) -> tuple[HostState, Window]:
        begin = max(at, state.free_at.get(lane, at), state.paused_until, not_before)
        window = Window(begin, begin + seconds)
        return replace(state, free_at={**state.free_at, lane: window.end}), window

    return transition


def given_back(state: HostState, lane: str, end: float, used_until: float) -> HostState:
    """Return the state without the unused rest of a window, if nobody has leased behind it."""
    if state.free_at.get(lane) != end:
        return state
    return replace(state, free_at={**state.free_at, lane: min(used_until, end)})


class Lane:
    """Evenly spaced starts, in windows that grow while they are used up and begin small."""

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

    async def reserve(self) -> float:
        """Return the next start, which is then taken."""
        async with self._reserving:
            if not (self._left and self._soonest() < self._window.end):
                await self._lease()
            start = self._soonest()
            self._next = start + self.interval
            self._left -= 1
            return start

    def is_news_old(self) -> bool:
        """Tell whether others may have told of a pause since the window was leased."""
        return self._host.seen_at < self._window.begin

    def give_back(self) -> None:
        """Leave the rest of the window to others."""
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
        self._window = await self._host.agree(leased(self._name, seconds, self._next))
        self._left = self._starts


class Pacer:
    """Hands out turns to ask one host."""

    def __init__(self, pace: Pace, host: Host, *, sleep: Sleep = asyncio.sleep) -> None:
        self._slots = asyncio.Semaphore(pace.concurrency)
        self._host = host
        self._lanes = _lanes(pace, host)
        self._jitter = pace.jitter
        self._sleep = sleep

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold one of the host's slots, entered when the next request may start.

        Raises HostPausedError where that is further away than LONGEST_WAIT because of a pause.
        """
        async with self._slots:
            await self._host.report_if_urgent()
            for lane in self._lanes:
                await self._wait_for_start(lane)
            yield

    def pause(self, seconds: float, connection: str | None = None) -> None:
        """Let nobody ask for `seconds`, or nobody by one connection; never shortens a pause."""
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
        """Return for how many seconds nobody should ask by a connection; 0 for none."""
        if self._host.seen_at == float("-inf"):
            await self._host.refresh()
        until = self._host.state.connections_paused_until.get(connection, 0.0)
        return max(0.0, until - self._host.now())

    async def aclose(self) -> None:
        """Leave what is leased to others, and tell them what is new."""
        for lane in self._lanes:
            lane.give_back()
        await self._host.part()

    async def _wait_for_start(self, lane: Lane) -> None:
        """Reserve the next start and sleep until it; again where a pause began meanwhile."""
        while True:
            self._give_up_behind_a_long_pause()
            start = await lane.reserve()
            self._give_up_behind_a_long_pause()  # which others may have told of
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
    """Return the lanes of a pace, a share's first: who waits there holds no time of everybody's."""
    rates = {EVERYBODY: pace.requests_per_second}
    if pace.share:
        rates = {pace.share.name: pace.share.requests_per_second} | rates
    most_starts = max(1, int(min(rates.values()) * LEASE_SECONDS))
    return [Lane(host, name, 1 / rate, most_starts) for name, rate in rates.items()]
