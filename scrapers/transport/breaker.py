"""A circuit breaker for one route of a host: where most looks are refused it is left alone a while.

Counts outcomes of looks, not HTTP errors: a platform that answers every page with a challenge
wants us gone as much as one that is down. Routes are refused apart from each other: pages may meet
a wall that lists and embeds do not.
"""

import asyncio
from dataclasses import replace
from typing import Any

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.refusing import LAST_FETCHES, commonest, route_refuses
from scrapers.transport.hosts import Host, HostState, RouteState

TRIPPING = frozenset(
    {
        Outcome.UNREACHABLE,
        Outcome.CHALLENGED,
        Outcome.BLOCKED_SILENT,
        Outcome.LOGIN_REQUIRED,
        Outcome.SCHEMA_CHANGED,
    }
)
"""The refusals of a route. A rate limit has its own pause; the others concern one provider's budget
or one account."""
SECONDS_OPEN = 60.0


class BackingOffError(ScrapeError):
    """Nothing was asked: the route is being left alone. `outcome` is why.

    `pause_seconds` is how much is left of the pause that the host asked for, where that is why.
    """

    was_asked = False


def counted(route: RouteState, outcome: Outcome, at: float, *, is_trial: bool) -> RouteState:
    """Return a route's state after a look.

    While open only the trial's ending counts: other looks were under way before.
    """
    looked = RouteState((*route.recent, outcome.value)[-LAST_FETCHES:], route.open_until)
    if route.open_until is None:
        return (
            replace(looked, open_until=at + SECONDS_OPEN)
            if route_refuses(looked.recent, TRIPPING)
            else looked
        )
    if not is_trial:
        return route
    return replace(looked, open_until=at + SECONDS_OPEN) if outcome in TRIPPING else RouteState()


class Breaker:
    """Closed while most looks are answered; open where they are not; then one trial.

    Looks of all who agree about the `host` count together, and one of them all makes the trial.
    """

    def __init__(self, host: Host, route: str) -> None:
        self._host = host
        self._route = route
        self._trier: asyncio.Task[Any] | None = None

    async def check(self) -> None:
        """Raise BackingOffError while open, with the commonest outcome of those that opened it.

        After SECONDS_OPEN one caller passes as the trial; the rest wait for its result. A look may
        take several requests, which are those of one task.
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

    def record(self, outcome: Outcome) -> None:
        """Count how a look ended. A rate limit counts neither way: it has its own pause."""
        if outcome is Outcome.RATE_LIMITED:
            return
        before, is_trial = self._state.open_until, self._trier is not None
        self._trier = None

        def looked(state: HostState, at: float) -> HostState:
            route = state.routes.get(self._route, RouteState())
            return state.with_route(self._route, counted(route, outcome, at, is_trial=is_trial))

        self._host.note(looked)
        if self._state.open_until != before:
            self._host.hurry()

    @property
    def _state(self) -> RouteState:
        return self._host.state.routes.get(self._route, RouteState())

    def _claimed(self, state: HostState, at: float) -> tuple[HostState, bool]:
        """Make the trial ours, unless somebody else has it, or has ended it."""
        route = state.routes.get(self._route, RouteState())
        if route.open_until is None or at < route.open_until:
            return state, False
        tried = replace(route, open_until=at + SECONDS_OPEN)
        return state.with_route(self._route, tried), True

    def _backing_off(self) -> BackingOffError:
        recent = self._state.recent
        refusals = [outcome for outcome in recent if outcome in TRIPPING]
        cause = commonest(refusals)
        looks = f"{len(refusals)} of the last {len(recent)} looks"
        return BackingOffError(
            cause, f"not asked: backing off after {looks} brought nothing, most of them {cause}"
        )
