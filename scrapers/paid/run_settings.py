"""The part of a routes.toml that is about runs: a provider collects, and is asked for it later."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import model_validator

from scrapers.outcomes import Outcome
from scrapers.routes_file import Section


class Start(Section):
    """The JSON that starts a run, what starting costs, and how long its answer may take.

    Targets are a list under the name `targets`, beside what is `fixed`; or, without such a name,
    the JSON is a list of objects with each target under `each`. `limit` names how many results a
    target may have. `least_cap_usd` is the least that a run's price limit may be.
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
            raise ValueError("targets are a list under a name, or objects with a name each")
        return self


class ItemError(Section):
    """Words with which an item tells an error, and what they mean.

    `ok` stands for an item that only says that there is nothing to show.
    """

    says: str
    outcome: Outcome


class ItemErrors(Section):
    """Items that are errors: the paths to their words, and to the URL they are about."""

    words: tuple[str, ...]
    urls: tuple[str, ...]
    known: tuple[ItemError, ...]


class Ending(Section):
    """A status with which a run ends badly, words of its message, and what they mean.

    What the run has found is kept.
    """

    status: str
    says: str = ""
    outcome: Outcome
    detail: str


class ItemPages(Section):
    """How a run's items are fetched in parts: the parameters of a part's size and its first item.

    `size` is in items.
    """

    size: int
    limit: str
    offset: str


class Runs(Section):
    """How runs are followed: paths, with `{run}` and `{items}` for their ids, and statuses.

    A run that is not over after `polls`, `seconds_between` each, is called off by `stop`.
    `depths` are how many posts of an account a fetch asks for, one after the other, until it has
    seen far enough; `at_once` how many posts one run may be asked for by their URLs. Of an answer,
    `run`, `items`, `status`, `message` and `cost_usd` are paths; `cap` names the parameter of a
    run's price limit, `total_header` the header that tells how many items there are. Without
    `parts` all items come in one answer.
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
