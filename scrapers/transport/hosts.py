"""State of a host that all its clients share: leased time, pauses, and paused routes.

A keeper stores it for many processes and machines. Each works on a copy (`Host`), and exchanges
changes whenever it leases time. Times are seconds of the keeper's clock, so that machines' clocks
may differ. `pacing` leases time, `breaker` pauses routes.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol, TypeVar

Now = Callable[[], float]
Result = TypeVar("Result")

MOST_NOTES = 256
"""Maximum number of changes kept while the keeper is unavailable; older ones are dropped."""
LONGEST_AHEAD = 65 * 60.0
"""Seconds: the longest pause and a little. A time further in the future comes from a clock that was
set back since, and is ignored.
"""


@dataclass(frozen=True, slots=True)
class RouteState:
    """Outcomes of a route's last fetches, oldest first, and until when it is paused."""

    recent: tuple[str, ...] = ()
    open_until: float | None = None


@dataclass(frozen=True, slots=True)
class HostState:
    """`free_at` is when each lane's time is free of leases; a pause applies to all lanes.

    `connections_paused_until` has connected accounts whose own rate limit is used up. `leased_at`
    is when time was last leased, by the keeper's clock; None from older versions.
    """

    free_at: Mapping[str, float] = field(default_factory=dict)
    paused_until: float = 0.0
    routes: Mapping[str, RouteState] = field(default_factory=dict)
    connections_paused_until: Mapping[str, float] = field(default_factory=dict)
    leased_at: float | None = None

    def with_route(self, route: str, state: RouteState) -> "HostState":
        """Return the state with another state of a route; routes without fetches are dropped."""
        others = {
            name: state_of_route for name, state_of_route in self.routes.items() if name != route
        }
        return replace(self, routes=others | ({route: state} if state.recent else {}))

    def believed(self, at: float) -> "HostState":
        """Return the state without times too far in the future.

        Time was leased in the future if the clock was set back since: leases move back with it.
        Ended pauses of connections are dropped too, so that they do not accumulate.
        """
        latest = at + LONGEST_AHEAD
        leased_at = at if self.leased_at is None else self.leased_at
        set_back = max(0.0, leased_at - at)
        return HostState(
            {
                lane: free_at - set_back
                for lane, free_at in self.free_at.items()
                if self.leased_at is not None or free_at <= latest
            },
            self.paused_until if self.paused_until <= latest else 0.0,
            {
                name: route
                for name, route in self.routes.items()
                if (route.open_until or 0) <= latest
            },
            {
                connection: end
                for connection, end in self.connections_paused_until.items()
                if at < end <= latest
            },
            min(leased_at, at),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the state as a keeper outside this process stores it."""
        return asdict(self)

    @classmethod
    def of_json(cls, stored: Mapping[str, Any] | None) -> "HostState":
        """Return a stored state, or an empty one for a new host."""
        if not stored:
            return cls()
        routes = {
            name: RouteState(tuple(route["recent"]), route["open_until"])
            for name, route in stored["routes"].items()
        }
        connections = stored.get("connections_paused_until", {})  # missing in older versions
        leased_at = stored.get("leased_at")
        return cls(stored["free_at"], stored["paused_until"], routes, connections, leased_at)


Change = Callable[[HostState, float], HostState]
"""Changes a state at a time. Pure: a keeper may call it more than once."""
Transition = Callable[[HostState, float], tuple[HostState, Result]]
"""A change with a result for its caller."""


class KeeperAwayError(Exception):
    """The keeper is unavailable. Until it is back, each process works alone."""


class Keeper(Protocol):
    """Stores the states of hosts for all clients with one IP address, and has the shared clock."""

    async def change(self, host: str, change: Change) -> tuple[HostState, float]:
        """Change a state exclusively; return it and the time. Raises KeeperAwayError."""
        ...


class MemoryKeeper:
    """A keeper for one process. `now` is monotonic."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._states: dict[str, HostState] = {}

    async def change(self, host: str, change: Change) -> tuple[HostState, float]:
        """Change a state; return it and the time."""
        at = self._now()
        self._states[host] = change(self._states.get(host, HostState()), at)
        return self._states[host], at


class Host:
    """One process's copy of a host's state, and its unsent changes. `now` is monotonic."""

    def __init__(self, keeper: Keeper, name: str, now: Now) -> None:
        self.state = HostState()
        self.seen_at = float("-inf")
        """When the copy was last compared with the keeper's state."""
        self._keeper = keeper
        self._name = name
        self._now = now
        self._ahead = 0.0
        self._notes: deque[tuple[float, Change]] = deque(maxlen=MOST_NOTES)
        self._is_urgent = False
        self._agreeing = asyncio.Lock()

    def now(self) -> float:
        """Return the time by the keeper's clock."""
        return self._now() + self._ahead

    def note(self, change: Change) -> None:
        """Change the copy now, and the keeper's state at the next exchange."""
        self._notes.append((self._now(), change))
        self.state = change(self.state, self.now())

    def hurry(self) -> None:
        """Send changes before the next wait: see `report_if_urgent`."""
        self._is_urgent = True

    async def report_if_urgent(self) -> None:
        """Send changes at once, if urgent."""
        if self._is_urgent:
            await self.refresh()

    async def refresh(self) -> None:
        """Exchange changes with the keeper."""
        await self.agree(lambda state, _at: (state, None))

    async def part(self) -> None:
        """Send the remaining changes, if the keeper was ever used."""
        if self._notes and self.seen_at > float("-inf"):
            await self.refresh()

    async def agree(self, transition: Transition[Result]) -> Result:
        """Send changes, apply a transition, and receive others' changes.

        If the keeper is unavailable, the transition applies to the copy only.
        """
        async with self._agreeing:
            notes, begun = list(self._notes), self._now()
            self._notes.clear()
            self._is_urgent = False
            brought: list[Result] = []

            def change(stored: HostState, at: float) -> HostState:
                state = stored.believed(at)
                for noted, note in notes:
                    state = note(state, at - begun + noted)
                state, result = transition(state, at)
                brought[:] = [result]
                return state

            try:
                state, at = await self._keeper.change(self._name, change)
            except KeeperAwayError:
                self._notes.extendleft(reversed(notes))
                self.state, result = transition(self.state, self.now())
            else:
                self._adopt(state, at)
                [result] = brought
            self.seen_at = self.now()
            return result

    def _adopt(self, state: HostState, at: float) -> None:
        """Adopt the keeper's state, with changes made since the exchange began."""
        self._ahead = at - self._now()
        for noted, note in self._notes:
            state = note(state, noted + self._ahead)
        self.state = state
