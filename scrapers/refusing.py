"""Which outcomes are refusals, what an operator can do about each, and when a platform refuses.

The circuit breaker, crawls and every report use this definition. A route refuses if 8 of its last
16 fetches were refused. A platform refuses if one of its routes does by the fetches of its last
hour. If that hour had fewer than 16 fetches, it also refuses if half of them were refused. The hour
ends with the last fetch. A route has one wall: a kind of page for the breaker, a kind of job for
reports. `marts.platform_status` defines the same in SQL, and a test compares the two.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from scrapers.outcomes import MISSING, Outcome
from scrapers.urls.sites import SITES

_OTHER_WAYS = (
    "have creators connect their accounts (POST /creators/{id}/connect-links, once the platform "
    "has approved your app), add an official API or a commercial provider to "
    "TRACKER_<PLATFORM>_PROVIDERS and set its key (docs/guides/scrape.md has the costs), "
    "or send fewer requests (TRACKER_SCRAPE_REQUESTS_PER_SECOND)"
)
_WALL = f"the platform blocks this IP address or client: {_OTHER_WAYS}"
_REMEDIES: Mapping[Outcome, str] = {
    Outcome.BLOCKED_SILENT: _WALL,
    Outcome.CHALLENGED: _WALL,
    Outcome.LOGIN_REQUIRED: _WALL,
    Outcome.REGION_BLOCKED: (
        "the platform does not serve the country or network of this IP address (HTTP 451, another "
        "site, or a region's page): check that TRACKER_<PLATFORM>_BASE_URL "
        f"is right and there is no proxy; otherwise {_OTHER_WAYS}"
    ),
    Outcome.RATE_LIMITED: f"the platform limits the rate of requests: {_OTHER_WAYS}",
    Outcome.BUDGET_SPENT: (
        "the provider's daily budget or its credits are used up: raise the budget "
        "(TRACKER_<PROVIDER>_REQUESTS_PER_DAY, TRACKER_<PROVIDER>_USD_PER_DAY), buy credits, or "
        "wait for the next day (UTC)"
    ),
    Outcome.OUT_OF_REACH: (
        "the provider cannot show these accounts or posts (Meta's official API: personal ones): "
        "add another one after it (TRACKER_<PLATFORM>_PROVIDERS)"
    ),
    Outcome.CONSENT_ENDED: (
        "the creator's consent expired or was revoked: send a new link "
        "(POST /creators/{id}/connect-links)"
    ),
    Outcome.SCHEMA_CHANGED: (
        "the platform's responses have a new format: upgrade; `raw_sample` in the "
        "landed batches shows them"
    ),
    Outcome.UNREACHABLE: (
        "HTTP 5xx or no response: with 5xx the platform is disturbed, and fetches are repeated; "
        "with none, check that this machine reaches the platform, and that "
        "TRACKER_<PLATFORM>_BASE_URL is right"
    ),
}
"""One clause for each outcome that is about the platform, us or the network."""

REFUSALS = frozenset(_REMEDIES)
"""All other outcomes are about one account or post: they are answers, if not always readings."""


def remedy(refusal: Outcome, platform: str, http_status: int | None = None) -> str:
    """Return what an operator can do about a platform's refusal, with the settings' names."""
    if refusal is Outcome.UNREACHABLE and http_status is not None:
        return f"it answers HTTP {http_status}: it is disturbed, and fetches are repeated"
    name = platform.upper() if platform in SITES else "<PLATFORM>"
    return _REMEDIES[refusal].replace("<PLATFORM>", name)


LAST_FETCHES = 16
HALF = LAST_FETCHES // 2
LAST_HOUR = timedelta(hours=1)
NOT_THERE = "most known accounts and posts are missing at once: a wall"


def route_refuses(outcomes: Iterable[str], refusals: Collection[str] = REFUSALS) -> bool:
    """Return whether a route refuses, by its last 16 fetches."""
    return sum(outcome in refusals for outcome in outcomes) >= HALF


def hides_what_is_there(missing: int, others: int) -> bool:
    """Return whether so many known accounts missing at once mean a wall.

    `others` counts accounts with other outcomes. Each account counts once, because a deleted
    account takes all its posts with it.
    """
    return missing >= HALF and missing > others


def hidden(known: Iterable[tuple[str, str]]) -> bool:
    """Return the same for fetches, given as (account, outcome)."""
    outcomes = defaultdict[str, set[str]](set)
    for account, outcome in known:
        if outcome not in REFUSALS:
            outcomes[account].add(outcome)
    missing = sum(MISSING.issuperset(each) for each in outcomes.values())
    return hides_what_is_there(missing, len(outcomes) - missing)


def commonest(outcomes: Iterable[str]) -> Outcome:
    """Return the most common outcome, the latest of equals; `outcomes` are in time order."""
    [(outcome, _), *_] = Counter(reversed(list(outcomes))).most_common(1)
    return Outcome(outcome)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A platform's current refusal: `refused` of its last `fetches`, most with `outcome`."""

    outcome: Outcome
    refused: int
    fetches: int


class FetchLog:
    """The last fetches of a platform that decide whether it refuses."""

    def __init__(self) -> None:
        self._of_routes = defaultdict[str, deque[tuple[datetime, Outcome]]](
            lambda: deque(maxlen=LAST_FETCHES)
        )

        self.unreachable_status: int | None = None
        """HTTP status of the last unreachable fetch: 5xx, or None without a response."""

    def note(
        self, route: str, outcome: Outcome, at: datetime, http_status: int | None = None
    ) -> None:
        if outcome is Outcome.UNREACHABLE:
            self.unreachable_status = http_status
        self._of_routes[route].append((at, outcome))

    def refusal(self) -> Refusal | None:
        """Return how the platform refuses after the last fetch, or None."""
        last = max((at for route in self._of_routes.values() for at, _ in route), default=None)
        routes = [
            [(at, outcome) for at, outcome in route if last and at > last - LAST_HOUR]
            for route in self._of_routes.values()
        ]
        fetches = [outcome for _, outcome in sorted(chain.from_iterable(routes))]
        refused = [outcome for outcome in fetches if outcome in REFUSALS]
        is_half = bool(refused) and 2 * len(refused) >= len(fetches)
        if not (is_half and len(fetches) < LAST_FETCHES) and not any(
            route_refuses(outcome for _, outcome in route) for route in routes
        ):
            return None
        return Refusal(commonest(refused), len(refused), len(fetches))
