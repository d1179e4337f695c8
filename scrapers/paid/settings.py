"""The part of routes.toml about runs: a provider collects, and results are fetched later."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import model_validator

from scrapers.outcomes import Outcome
from scrapers.routes_file import RoutesFile, Section


class Start(Section):
    """The JSON that starts a run, its price, and the time limit of the response.

    Targets are a list named `targets`, beside `fixed`. Without that name, the JSON is a list of
    objects with each target under `each`. `limit` is the name for results per target.
    `least_cap_usd` is the minimum price limit of a run.
    """

    targets: str | None = None
    each: str | None = None
    limit: str | None = None
    fixed: Mapping[str, Any] = {}
    units: int = 0
    least_cap_usd: Decimal = Decimal(0)
    seconds: float = 60.0

    @model_validator(mode="after")
    def _names_targets_one_way(self) -> "Start":
        if (self.targets is None) == (self.each is None):
            raise ValueError("set either targets (a list under this name) or each (objects)")
        return self


class ItemError(Section):
    """Words of an item's error, and their meaning.

    `ok` is an item that only says that there is nothing to show.
    """

    says: str
    outcome: Outcome


class ItemErrors(Section):
    """Items that are errors: paths of their words, and of their URL."""

    words: tuple[str, ...]
    urls: tuple[str, ...]
    known: tuple[ItemError, ...]


class Ending(Section):
    """A status of a failed run, words of its message, and their meaning.

    Items found until then are kept.
    """

    status: str
    says: str = ""
    outcome: Outcome
    detail: str


class ItemPages(Section):
    """How to fetch a run's items in pages: parameters of page size and offset.

    `size` is in items.
    """

    size: int
    limit: str
    offset: str


class Runs(Section):
    """How to follow runs: paths, with `{run}` and `{items}` for their ids, and statuses.

    A run that is not over after `polls`, each `seconds_between`, is stopped by `stop`. `depths`
    are the numbers of posts of an account that a fetch requests in turn, until it has seen enough.
    `at_once` is the maximum of posts by URL per run. In a response `run`, `items`, `status`,
    `message` and `cost_usd` are paths. `cap` is the parameter of a run's price limit,
    `total_header` the header with the number of items. Without `parts` all items are in one
    response.
    """

    depths: tuple[int, ...]
    at_once: int
    polls: int
    seconds_between: float
    follow: str
    follow_fixed: Mapping[str, str] = {}
    collect: str
    collect_fixed: Mapping[str, str] = {}
    stop: str
    run: str
    items: str | None = None
    status: str
    message: str
    going: frozenset[str]
    done: frozenset[str]
    endings: tuple[Ending, ...]
    cost_usd: str | None = None
    cap: str | None = None
    total_header: str | None = None
    parts: ItemPages | None = None
    errors: ItemErrors


PROFILE, POSTS, POST, COMMENTS = "profile", "posts", "post", "comments"


class Price(Section):
    """Price of a unit on the named plan, according to `source` on the day `as_of`."""

    unit: str
    usd_per_unit: Decimal
    as_of: date
    plan: str
    source: str


class Key(Section):
    """Where the key is sent: in a header after `prefix`, or as a query parameter."""

    header: str | None = None
    prefix: str = ""
    parameter: str | None = None

    @model_validator(mode="after")
    def _travels_one_way(self) -> "Key":
        if (self.header is None) == (self.parameter is None):
            raise ValueError("set either header or parameter")
        return self


class Route(Section):
    """A path, its fixed parameters, and its price in units.

    `posts` is the number of posts per response, if several. For a route that starts a run (see
    `runs`), the price is per result; `run` describes the start.
    """

    path: str
    fixed: Mapping[str, str] = {}
    units: int = 1
    posts: int = 1
    run: Start | None = None


class Account(Section):
    """The cheapest request that needs a valid key.

    `left` has paths of the units left, in order of preference. `day` is the parameter for a day, if
    required.
    """

    path: str
    units: int
    left: tuple[str, ...] = ()
    day: str | None = None


class Paging(Section):
    """Maximum pages of a fetch, and of pages in a row without anything new."""

    pages: int
    fruitless_pages: int


class Refusal(Section):
    """A status and its meaning."""

    status: int
    outcome: Outcome
    detail: str


class PaidRoutes(Section):
    """A provider's file of routes.

    `charged` is the path of the units that a response cost, `charged_header` the header with them.
    `message` has paths of an error's text. `runs` is set for providers with runs.
    """

    name: str
    headers: Mapping[str, str]
    charged: str | None = None
    charged_header: str | None = None
    message: tuple[str, ...]
    key: Key
    price: Price
    account: Account
    timeline: Paging
    comments: Paging = Paging(pages=0, fruitless_pages=0)
    refusals: tuple[Refusal, ...]
    runs: Runs | None = None
    tiktok: Mapping[str, Route] = {}
    instagram: Mapping[str, Route] = {}

    def require_runs(self) -> Runs:
        """Return `runs`. Raises ValueError for a provider that answers at once."""
        if self.runs is None:
            raise ValueError(f"{self.name} has no runs")
        return self.runs

    def of(self, platform: str) -> Mapping[str, Route]:
        """Return a platform's routes by capability; empty if it has none."""
        routes: Mapping[str, Route] = getattr(self, platform, {})
        return routes


@cache
def routes_of(provider: str) -> PaidRoutes:
    """Return the provider's file of routes, cached. Raises BadRoutesError."""
    return RoutesFile(Path(__file__).with_name(f"{provider}.toml"), PaidRoutes)()
