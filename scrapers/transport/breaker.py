"""A circuit breaker for one route of a host: where most looks are refused it is left alone a while.

Counts outcomes of looks, not HTTP errors: a platform that answers every page with a challenge
wants us gone as much as one that is down. Routes are refused apart from each other: pages may meet
a wall that lists and embeds do not.
"""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.transport.hosts import Host, HostState, RouteState

TRIPPING = frozenset(
    {
        Outcome.UNREACHABLE,
        Outcome.CHALLENGED,
        Outcome.BLOCKED_SILENT,
        Outcome.LOGIN_REQUIRED,
    }
)
"""Outcomes that speak about the host or about us rather than about one account or post."""

UNANSWERED = TRIPPING | {Outcome.SCHEMA_CHANGED}
"""Outcomes after which it is not known that the route answers. An unknown shape may be one post's,
or a wall that nobody has described."""

LOOKS_COUNTED = 16
"""How many of the last looks are counted."""
FAILURES_TO_OPEN = 8
"""So many refusals among them open it; and so does not one answer among them all."""
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
    looked = RouteState((*route.recent, outcome.value)[-LOOKS_COUNTED:], route.open_until)
    if route.open_until is None:
        return replace(looked, open_until=at + SECONDS_OPEN) if _is_refused(looked) else looked
    if not is_trial:
        return route
    return replace(looked, open_until=at + SECONDS_OPEN) if outcome in UNANSWERED else RouteState()


def _is_refused(route: RouteState) -> bool:
    refusals = sum(outcome in TRIPPING for outcome in route.recent)
    is_full = len(route.recent) == LOOKS_COUNTED
    return refusals >= FAILURES_TO_OPEN or (is_full and UNANSWERED.issuperset(route.recent))


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
        causes = Counter(Outcome(outcome) for outcome in recent if outcome in UNANSWERED)
        [(cause, _)] = causes.most_common(1)
        looks = f"{causes.total()} of the last {len(recent)} looks"
        return BackingOffError(
            cause, f"not asked: backing off after {looks} brought nothing, most of them {cause}"
        )
