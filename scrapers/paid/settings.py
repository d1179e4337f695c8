"""The shape of a commercial provider's routes.toml: what it may change, prices among it."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

from pydantic import model_validator

from scrapers.outcomes import Outcome
from scrapers.paid.run_settings import Runs, Start
from scrapers.routes_file import RoutesFile, Section

PROFILE, POSTS, POST, COMMENTS = "profile", "posts", "post", "comments"


class Price(Section):
    """What a unit costs on the plan named, as its `source` said on the day `as_of`."""

    unit: str
    usd_per_unit: Decimal
    as_of: date
    plan: str
    source: str


class Key(Section):
    """Where the key travels: in a header, behind a `prefix`, or as a parameter of the address."""

    header: str | None = None
    prefix: str = ""
    parameter: str | None = None

    @model_validator(mode="after")
    def _travels_one_way(self) -> "Key":
        if (self.header is None) == (self.parameter is None):
            raise ValueError("a key travels in a header or as a parameter")
        return self


class Route(Section):
    """A path, what every request to it asks for, and its price in units.

    `posts` is how many posts one answer shows, where it shows several. The price of a route that
    starts a run (see `runs`) is that of one result; its `run` says how the run is started.
    """

    path: str
    fixed: Mapping[str, str] = {}
    units: int = 1
    posts: int = 1
    run: Start | None = None


class Account(Section):
    """The cheapest request that only a good key gets answered.

    `left` are paths to the units left, in the order of their worth, where it tells them; `day` the
    parameter that asks about a day, where it needs one.
    """

    path: str
    units: int
    left: tuple[str, ...] = ()
    day: str | None = None


class Paging(Section):
    """Pages of one fetch, and pages in a row without anything new before it is called off."""

    pages: int
    fruitless_pages: int


class Refusal(Section):
    """A status, and what an answer with it means."""

    status: int
    outcome: Outcome
    detail: str


class PaidRoutes(Section):
    """All of a routes.toml.

    `charged` is the path of the units that an answer says it cost, `charged_header` the header with
    them; `message` are paths to its words where it is an error. `runs` is there for a provider
    that answers by runs.
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

    def of(self, platform: str) -> Mapping[str, Route]:
        """Return a platform's routes by what they are asked for: none where it reads no such."""
        routes: Mapping[str, Route] = getattr(self, platform, {})
        return routes


@cache
def routes_in(folder: Path) -> PaidRoutes:
    """Return a provider's routes.toml, read once. Raises BadRoutesError."""
    return RoutesFile(folder / "routes.toml", PaidRoutes)()
