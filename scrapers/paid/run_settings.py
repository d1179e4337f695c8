"""The part of routes.toml about runs: a provider collects, and results are fetched later."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import model_validator

from scrapers.outcomes import Outcome
from scrapers.routes_file import Section


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
