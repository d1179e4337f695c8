"""Simulated fraud: which posts, of which kind, and when it shows.

Only a world that is configured for it has fraud, and its sites never reveal it: it is for testing
fraud detection. Viral waves and corrections (`growth.py`) are not fraud.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from scrapers.simulator.draws import happens

_HOUR = 3_600
_DAY = 24 * _HOUR


class FraudKind(StrEnum):
    """What a person, or afterwards the platform, did to a post's counts."""

    BOUGHT = "bought"
    """Views arrive evenly for some hours, without likes or comments."""
    BULK = "bulk"
    """Every counter jumps at one instant."""
    BOTS = "bots"
    """Comments with a few texts arrive within hours."""
    PURGED = "purged"
    """The platform removes a third of the views or more, once."""
    REVIVED = "revived"
    """An old post grows by the same amount every hour, also at night."""


@dataclass(frozen=True, slots=True)
class Fraud:
    """One post's fraud from `starts_at` to `ends_at` (epoch seconds).

    `size` is the gain as a share of the counts at its start: in total (bought, bulk) or per day
    (revived). For purged it is the share removed, for bots the number of comments.
    """

    kind: FraudKind
    starts_at: float
    ends_at: float
    size: float

    def applied(
        self, counts: Mapping[str, int], began_with: Mapping[str, int], at: float
    ) -> dict[str, int]:
        """Return the counters at `at`, from those without fraud and those at its start."""
        return {
            counter: count + int(self._change(counter, count, began_with[counter], at))
            for counter, count in counts.items()
        }

    def written_by_bots(self, at: float) -> int:
        """Return the number of bot comments by `at`."""
        return int(self.size * self._done(at)) if self.kind is FraudKind.BOTS else 0

    def bot_writes_at(self, number: int) -> float:
        """Return when bots write comment `number`."""
        return self.starts_at + (self.ends_at - self.starts_at) * (number + 1) / self.size

    def shows_between(self, since: float, at: float) -> bool:
        """Return whether counts read at these two times differ by this fraud."""
        return since < self.ends_at and at >= self.starts_at

    def _change(self, counter: str, count: int, began_with: int, at: float) -> float:
        match self.kind:
            case FraudKind.BOTS:
                return self.written_by_bots(at) if counter == "comment" else 0
            case FraudKind.PURGED:
                return -self.size * count * self._done(at) if counter == "view" else 0
            case FraudKind.BOUGHT:
                return self.size * began_with * self._done(at) if counter == "view" else 0
            case FraudKind.BULK:
                return self.size * began_with * self._done(at)
            case FraudKind.REVIVED:
                days = (self.ends_at - self.starts_at) / _DAY
                return self.size * days * began_with * self._done(at)

    def _done(self, at: float) -> float:
        if at >= self.ends_at:
            return 1.0
        return max(at - self.starts_at, 0) / (self.ends_at - self.starts_at)


def draw_fraud(
    draw: Random, share: float, posted_at: int, counters: Collection[str]
) -> Fraud | None:
    """Draw the fraud of a post with probability `share`; without views only bots."""
    if not happens(draw, share):
        return None
    kind = draw.choice(list(FraudKind)) if "view" in counters else FraudKind.BOTS
    (earliest, latest), (shortest, longest), sizes = _SHAPES[kind]
    starts_at = posted_at + draw.uniform(earliest, latest)
    return Fraud(kind, starts_at, starts_at + draw.uniform(shortest, longest), draw.uniform(*sizes))


_SHAPES = {
    FraudKind.BOUGHT: ((_DAY, 10 * _DAY), (6 * _HOUR, 2 * _DAY), (0.8, 5)),
    FraudKind.BULK: ((1.5 * _DAY, 12 * _DAY), (1, 60), (0.8, 4)),
    FraudKind.BOTS: ((8 * _HOUR, 8 * _DAY), (_HOUR, 10 * _HOUR), (30, 150)),
    FraudKind.PURGED: ((2 * _DAY, 20 * _DAY), (1, 60), (0.3, 0.7)),
    FraudKind.REVIVED: ((30 * _DAY, 45 * _DAY), (8 * _DAY, 20 * _DAY), (0.05, 0.4)),
}
"""When after its post each kind begins, and its duration (both in seconds), and its size."""
