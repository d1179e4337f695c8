"""A circuit breaker for one host: after failures in a row it is left alone for a while.

Counts outcomes of looks, not HTTP errors: a platform that answers every page with a challenge
wants us gone as much as one that is down.
"""

import time

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

FAILURES_TO_OPEN = 8
SECONDS_OPEN = 60.0


class BackingOffError(ScrapeError):
    """Nothing was asked: the host is being left alone. `outcome` is why."""


class Breaker:
    """Closed while things go well; open after FAILURES_TO_OPEN in a row; then one trial."""

    def __init__(self, *, now: Now = time.monotonic) -> None:
        self._now = now
        self._failures = 0
        self._cause = Outcome.UNREACHABLE
        self._open_until: float | None = None

    def check(self) -> None:
        """Raise BackingOffError while open, with the outcome that opened it.

        After SECONDS_OPEN one caller passes as the trial; the rest wait for its result.
        """
        if self._open_until is None:
            return
        if self._now() < self._open_until:
            raise BackingOffError(
                self._cause, f"not asked: backing off after {self._failures} x {self._cause}"
            )
        self._open_until = self._now() + SECONDS_OPEN

    def record(self, outcome: Outcome) -> None:
        """Count how a look ended. A rate limit counts neither way: it has its own pause."""
        if outcome is Outcome.RATE_LIMITED:
            return
        if outcome not in TRIPPING:
            self._failures, self._open_until = 0, None
            return
        self._failures += 1
        if self._failures >= FAILURES_TO_OPEN:
            self._cause = outcome
            self._open_until = self._now() + SECONDS_OPEN
