"""Growth of counts: pure functions of the time (epoch seconds), independent of reads.

A post's reach saturates: fast first, then towards a ceiling, faster by day than by night. A viral
post has a second, larger wave later. An account's counts rise steadily with the same rhythm.
Nothing falls, except at a correction: from then on, one counter is a fixed share smaller, and with
fraud (`fraud.py`).
"""

from dataclasses import dataclass
from math import exp, fmod, log1p, sin, tau

from scrapers.simulator.fraud import Fraud

DAY = 86_400
_LONGEST_GROWTH = 400 * DAY
_ALL_BUT_ALL = 1 - 1e-12
"""A wave never reaches its ceiling."""


def waking_seconds(since: float, at: float, night: float, phase: float) -> float:
    """Return the time between two instants, counting days more and nights less.

    `night` in [0, 1) is the strength, `phase` in [0, 1) the time of day. Rises with `at`.
    """
    return at - since + night * DAY / tau * (_rhythm(at, phase) - _rhythm(since, phase))


def _rhythm(at: float, phase: float) -> float:
    return sin(tau * (fmod(at, DAY) / DAY + phase))


@dataclass(frozen=True, slots=True)
class Wave:
    """Reach that grows from nothing at `starts_at` towards `ceiling` with time constant `pace`."""

    starts_at: float
    ceiling: float
    pace: float

    def at(self, at: float, night: float, phase: float) -> float:
        if at <= self.starts_at:
            return 0.0
        return self.ceiling * -_minus_one(
            waking_seconds(self.starts_at, at, night, phase) / self.pace
        )


def _minus_one(elapsed: float) -> float:
    return exp(-elapsed) - 1.0


@dataclass(frozen=True, slots=True)
class Correction:
    """The platform removes a share of one counter, once."""

    at: int
    counter: str
    share: float


@dataclass(frozen=True, slots=True)
class PostGrowth:
    """The counters of one post: each is a fixed ratio of the reach."""

    waves: tuple[Wave, ...]
    night: float
    phase: float
    ratios: dict[str, float]
    correction: Correction | None
    fraud: Fraud | None = None

    def counts(self, at: float) -> dict[str, int]:
        counts = self._grown(at)
        if self.fraud and at >= self.fraud.starts_at:
            return self.fraud.applied(counts, self._grown(self.fraud.starts_at), at)
        return counts

    def _grown(self, at: float) -> dict[str, int]:
        reach = sum(wave.at(at, self.night, self.phase) for wave in self.waves)
        counts = {counter: int(reach * ratio) for counter, ratio in self.ratios.items()}
        fall = self.correction
        if fall and at >= fall.at:
            counts[fall.counter] = int(reach * self.ratios[fall.counter] * (1 - fall.share))
        return counts

    def steady(self, counter: str, at: float) -> float:
        """Return a counter at `at` without nights and corrections."""
        return self.ratios[counter] * sum(wave.at(at, 0, 0) for wave in self.waves)

    def reached_at(self, counter: str, count: int) -> float:
        """Return when `steady` reaches a count that it does reach."""
        first, *others = self.waves
        if others:
            return self._searched(counter, count)
        share = min(count / (first.ceiling * self.ratios[counter]), _ALL_BUT_ALL)
        return first.starts_at - first.pace * log1p(-share)

    def _searched(self, counter: str, count: int) -> float:
        low, high = self.waves[0].starts_at, self.waves[-1].starts_at + _LONGEST_GROWTH
        while high - low > 1:
            middle = (low + high) / 2
            low, high = (low, middle) if self.steady(counter, middle) >= count else (middle, high)
        return high


@dataclass(frozen=True, slots=True)
class AccountGrowth:
    """A count of an account: `base` at `since`, plus `a_day` per day.

    Every `purge_every` seconds (0: never) the platform removes `purge_share` of it.
    """

    since: float
    base: float
    a_day: float
    night: float
    phase: float
    purge_every: float = 0
    purge_share: float = 0

    def at(self, at: float) -> int:
        days = waking_seconds(self.since, at, self.night, self.phase) / DAY
        grown = self.base + self.a_day * days
        return int(grown * (1 - self.purge_share) ** self.purges(at))

    def purges(self, at: float) -> int:
        """Return how many corrections there were by `at`."""
        return int((at - self.since) / self.purge_every) if self.purge_every else 0
