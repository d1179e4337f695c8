"""A circuit breaker for one route of a host: where most looks are refused it is left alone a while.

Counts outcomes of looks, not HTTP errors: a platform that answers every page with a challenge
wants us gone as much as one that is down. Routes are refused apart from each other: pages may meet
a wall that lists and embeds do not.
"""

import asyncio
import time
from collections import Counter, deque
from typing import Any

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.transport.pacing import Now

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


class Breaker:
    """Closed while most looks are answered; open where they are not; then one trial."""

    def __init__(self, *, now: Now = time.monotonic) -> None:
        self._now = now
        self._recent: deque[Outcome] = deque(maxlen=LOOKS_COUNTED)
        self._open_until: float | None = None
        self._is_tried = False
        self._trier: asyncio.Task[Any] | None = None

    def check(self) -> None:
        """Raise BackingOffError while open, with the commonest outcome of those that opened it.

        After SECONDS_OPEN one caller passes as the trial; the rest wait for its result. A look may
        take several requests, which are those of one task.
        """
        if self._open_until is None:
            return
        task = _current_task()
        if self._is_tried and task is not None and task is self._trier:
            return
        if self._now() < self._open_until:
            raise self._backing_off()
        self._open(is_tried=True)
        self._trier = task

    def record(self, outcome: Outcome) -> None:
        """Count how a look ended. A rate limit counts neither way: it has its own pause.

        While open only the trial's ending counts: other looks were under way before.
        """
        if outcome is Outcome.RATE_LIMITED:
            return
        if self._open_until is None:
            self._recent.append(outcome)
            if self._is_refused():
                self._open(is_tried=False)
        elif self._is_tried:
            self._end_trial(outcome)

    def _is_refused(self) -> bool:
        refusals = sum(outcome in TRIPPING for outcome in self._recent)
        is_full = len(self._recent) == LOOKS_COUNTED
        return refusals >= FAILURES_TO_OPEN or (is_full and UNANSWERED.issuperset(self._recent))

    def _open(self, *, is_tried: bool) -> None:
        self._is_tried, self._trier = is_tried, None
        self._open_until = self._now() + SECONDS_OPEN

    def _end_trial(self, outcome: Outcome) -> None:
        if outcome in UNANSWERED:
            self._recent.append(outcome)
            self._open(is_tried=False)
        else:
            self._recent.clear()
            self._open_until, self._trier = None, None

    def _backing_off(self) -> BackingOffError:
        causes = Counter(outcome for outcome in self._recent if outcome in UNANSWERED)
        [(cause, _)] = causes.most_common(1)
        looks = f"{causes.total()} of the last {len(self._recent)} looks"
        return BackingOffError(
            cause, f"not asked: backing off after {looks} brought nothing, most of them {cause}"
        )


def _current_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no event loop
        return None
