"""What all who ask a host agree on: whose time it is, pauses, and routes that are left alone.

A keeper holds it for many processes and machines; each works on its own copy (`Host`), and tells
and learns news whenever it leases time. Instants are seconds of the keeper's clock, so that clocks
of machines may differ. Leasing is `pacing`'s, leaving routes alone `breaker`'s.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol, TypeVar

Now = Callable[[], float]
Result = TypeVar("Result")

MOST_NOTES = 256
"""News kept while the keeper is away; older ones are forgotten."""
LONGEST_AHEAD = 2 * 3600.0
"""Seconds. An instant further ahead is of a clock that was put back since, and not believed."""


@dataclass(frozen=True, slots=True)
class RouteState:
    """How the last fetches by a route ended (outcomes, oldest first), and until when it is left."""

    recent: tuple[str, ...] = ()
    open_until: float | None = None


@dataclass(frozen=True, slots=True)
class HostState:
    """`free_at` is from when on each lane's time is leased to nobody; a pause holds for all.

    `connections_paused_until` has those connected accounts alone whose allowance is spent.
    """

    free_at: Mapping[str, float] = field(default_factory=dict)
    paused_until: float = 0.0
    routes: Mapping[str, RouteState] = field(default_factory=dict)
    connections_paused_until: Mapping[str, float] = field(default_factory=dict)

    def with_route(self, route: str, state: RouteState) -> "HostState":
        """Return the state with another one of a route; nothing is kept of one without fetches."""
        others = {
            name: state_of_route for name, state_of_route in self.routes.items() if name != route
        }
        return replace(self, routes=others | ({route: state} if state.recent else {}))

    def believed(self, at: float) -> "HostState":
        """Return the state without instants that lie too far ahead of this one.

        Pauses of connections that are over are dropped too, so that they do not pile up.
        """
        latest = at + LONGEST_AHEAD
        return HostState(
            {lane: free_at for lane, free_at in self.free_at.items() if free_at <= latest},
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
        )

    def as_json(self) -> dict[str, Any]:
        """Return the state as a keeper outside this process holds it."""
        return asdict(self)

    @classmethod
    def of_json(cls, stored: Mapping[str, Any] | None) -> "HostState":
        """Return the state that a keeper holds; of a host that nobody has asked, an empty one."""
        if not stored:
            return cls()
        routes = {
            name: RouteState(tuple(route["recent"]), route["open_until"])
            for name, route in stored["routes"].items()
        }
        connections = stored.get("connections_paused_until", {})  # older versions hold none
        return cls(stored["free_at"], stored["paused_until"], routes, connections)


Change = Callable[[HostState, float], HostState]
"""What becomes of a state at an instant. Pure: a keeper may compute it more than once."""
Transition = Callable[[HostState, float], tuple[HostState, Result]]
"""A change that somebody waits for, with what it brought."""


class KeeperAwayError(Exception):
    """The keeper cannot be reached. Until it can, a process agrees with itself alone."""


class Keeper(Protocol):
    """Holds the states of hosts for all who ask from one address, and has the one clock."""

    async def change(self, host: str, change: Change) -> tuple[HostState, float]:
        """Change a state, alone with it; return it and when that was. Raises KeeperAwayError."""
        ...


class MemoryKeeper:
    """Keeps states for one process. `now` is monotonic."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._states: dict[str, HostState] = {}

    async def change(self, host: str, change: Change) -> tuple[HostState, float]:
        """Change a state; return it and when that was."""
        at = self._now()
        self._states[host] = change(self._states.get(host, HostState()), at)
        return self._states[host], at


class Host:
    """One process's copy of a host's state, and what it has still to tell. `now` is monotonic."""

    def __init__(self, keeper: Keeper, name: str, now: Now) -> None:
        self.state = HostState()
        self.seen_at = float("-inf")
        """When the copy was last compared with what the keeper holds."""
        self._keeper = keeper
        self._name = name
        self._now = now
        self._ahead = 0.0
        self._notes: deque[tuple[float, Change]] = deque(maxlen=MOST_NOTES)
        self._is_urgent = False
        self._agreeing = asyncio.Lock()

    def now(self) -> float:
        """Return the instant by the keeper's clock."""
        return self._now() + self._ahead

    def note(self, change: Change) -> None:
        """Change the copy now, and what the keeper holds when it is next asked."""
        self._notes.append((self._now(), change))
        self.state = change(self.state, self.now())

    def hurry(self) -> None:
        """Have what was noted told before anybody waits for anything: see `report_if_urgent`."""
        self._is_urgent = True

    async def report_if_urgent(self) -> None:
        """Tell the keeper at once, where there is hurry."""
        if self._is_urgent:
            await self.refresh()

    async def refresh(self) -> None:
        """Tell and learn what is new."""
        await self.agree(lambda state, _at: (state, None))

    async def part(self) -> None:
        """Tell what is left to tell, where anybody was ever asked."""
        if self._notes and self.seen_at > float("-inf"):
            await self.refresh()

    async def agree(self, transition: Transition[Result]) -> Result:
        """Tell what is new, take a transition, and learn what others have told meanwhile.

        While the keeper is away the transition is taken on the copy alone.
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
        """Go by what the keeper holds, and what was noted while it was asked."""
        self._ahead = at - self._now()
        for noted, note in self._notes:
            state = note(state, noted + self._ahead)
        self.state = state
