"""The files of routes of commercial providers: requests, prices, and refusals."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

from pydantic import model_validator

from scrapers.outcomes import Outcome
from scrapers.routes_file import RoutesFile, Section

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

    `posts` is the number of posts per response, if several.
    """

    path: str
    fixed: Mapping[str, str] = {}
    units: int = 1
    posts: int = 1


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
    `message` has paths of an error's text.
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
    tiktok: Mapping[str, Route] = {}
    instagram: Mapping[str, Route] = {}

    def of(self, platform: str) -> Mapping[str, Route]:
        """Return a platform's routes by capability; empty if it has none."""
        routes: Mapping[str, Route] = getattr(self, platform, {})
        return routes


@cache
def routes_of(provider: str) -> PaidRoutes:
    """Return the provider's file of routes, cached. Raises BadRoutesError."""
    return RoutesFile(Path(__file__).with_name(f"{provider}.toml"), PaidRoutes)()
