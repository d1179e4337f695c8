"""A circuit breaker for one route of a host: it opens if most fetches are refused.

It counts outcomes, not HTTP errors: a platform that answers with challenges refuses us as much as
one that is down. Each route has its own breaker: pages may have a wall that lists and embeds lack.
"""

import asyncio
from dataclasses import replace
from typing import Any

from scrapers.outcomes import MISSING, Outcome, ScrapeError
from scrapers.refusing import LAST_FETCHES, NOT_THERE, commonest, hides_what_is_there, route_refuses
from scrapers.transport.hosts import Host, HostState, RouteState

TRIPPING = frozenset(
    {
        Outcome.UNREACHABLE,
        Outcome.CHALLENGED,
        Outcome.BLOCKED_SILENT,
        Outcome.LOGIN_REQUIRED,
        Outcome.REGION_BLOCKED,
        Outcome.SCHEMA_CHANGED,
    }
)
"""Refusals of a route. A rate limit has its own pause; the others concern one provider's budget or
one account."""
SECONDS_OPEN = 60.0
HIDDEN = "hidden"
"""Recorded for a known account, or its post, that is missing now."""


class BackingOffError(ScrapeError):
    """No request was sent, because the route is paused. `outcome` is the reason.

    `pause_seconds` is the rest of the host's requested pause, if that is the reason.
    """

    was_sent = False


def counted(route: RouteState, outcome: str, at: float, *, is_trial: bool) -> RouteState:
    """Return a route's state after a fetch.

    While open only the trial counts: other fetches began before.
    """
    fetched = RouteState((*route.recent, outcome)[-LAST_FETCHES:], route.open_until)
    if route.open_until is None:
        opens = route_refuses(fetched.recent, TRIPPING) or _is_hidden(fetched)
        return replace(fetched, open_until=at + SECONDS_OPEN) if opens else fetched
    if not is_trial:
        return route
    is_refused = outcome in TRIPPING or outcome == HIDDEN
    return replace(fetched, open_until=at + SECONDS_OPEN) if is_refused else RouteState()


def _is_hidden(route: RouteState) -> bool:
    missing = route.recent.count(HIDDEN)
    return hides_what_is_there(
        missing, sum(outcome not in MISSING for outcome in route.recent) - missing
    )


class Breaker:
    """Closed while most fetches succeed, open if not, then one trial.

    Fetches of all processes that share the `host` count together, and one of them makes the trial.
    """

    def __init__(self, host: Host, route: str) -> None:
        self._host = host
        self._route = route
        self._trier: asyncio.Task[Any] | None = None
        self._missed: set[str] = set()

    async def check(self) -> None:
        """Raise BackingOffError while open, with the most common outcome that opened it.

        After SECONDS_OPEN one caller passes as the trial; the others wait for its result. A fetch
        may need several requests, which belong to one task.
        """
        open_until = self._state.open_until
        if open_until is None:
            return
        task = asyncio.current_task()
        if self._trier is task:
            return
        if self._host.now() < open_until:
            raise self._backing_off()
        if await self._host.agree(self._claimed):
            self._trier = task
        elif self._state.open_until is not None:
            raise self._backing_off()

    @property
    def is_doubtful(self) -> bool:
        """Whether the last fetch was refused: the next is tried only once, except a trial."""
        recent = self._state.recent
        return self._state.open_until is None and bool(recent) and recent[-1] in TRIPPING

    @property
    def is_hiding(self) -> bool:
        """Whether most known accounts are missing so far: then renames are not searched."""
        missing = self._state.recent.count(HIDDEN)
        return missing > 1 and 2 * missing > len(self._state.recent)

    @property
    def hides(self) -> bool:
        """Whether it is open because known accounts are missing."""
        return self._state.open_until is not None and _is_hidden(self._state)

    def record(self, outcome: Outcome, known: str | None = None) -> None:
        """Record a fetch's outcome. A rate limit does not count: it has its own pause.

        `known` is the handle of a known account, also for its posts. Missing ones count once per
        account.
        """
        if outcome is Outcome.RATE_LIMITED:
            return
        ending: str = outcome
        is_trial = self._trier is not None and self._trier is asyncio.current_task()
        if outcome is Outcome.OK:
            self._missed.clear()
        if known is not None and outcome in MISSING:
            if known in self._missed and not is_trial:
                return
            self._missed.add(known)
            ending = HIDDEN
        before = self._state.open_until
        if is_trial:
            self._trier = None

        def fetched(state: HostState, at: float) -> HostState:
            route = state.routes.get(self._route, RouteState())
            return state.with_route(self._route, counted(route, ending, at, is_trial=is_trial))

        self._host.note(fetched)
        if self._state.open_until != before:
            self._host.hurry()

    @property
    def _state(self) -> RouteState:
        return self._host.state.routes.get(self._route, RouteState())

    def _claimed(self, state: HostState, at: float) -> tuple[HostState, bool]:
        """Claim the trial, unless another process has it or has ended it."""
        route = state.routes.get(self._route, RouteState())
        if route.open_until is None or at < route.open_until:
            return state, False
        tried = replace(route, open_until=at + SECONDS_OPEN)
        return state.with_route(self._route, tried), True

    def _backing_off(self) -> BackingOffError:
        recent = self._state.recent
        seconds = max(0.0, (self._state.open_until or 0.0) - self._host.now())
        not_sent = f"not sent for another {seconds:.0f} s"
        if _is_hidden(self._state):
            return BackingOffError(Outcome.BLOCKED_SILENT, f"{not_sent}: {NOT_THERE}")
        refusals = [outcome for outcome in recent if outcome in TRIPPING]
        cause = commonest(refusals) if refusals else Outcome.BLOCKED_SILENT
        fetches = f"{len(refusals)} of the last {len(recent)} fetches"
        return BackingOffError(
            cause, f"{not_sent}: backing off after {fetches} were refused, most as {cause}"
        )
