"""The shape of routes.toml, which holds everything that the Research API may change."""

from collections.abc import Mapping
from pathlib import Path

from scrapers.outcomes import Outcome
from scrapers.routes_file import RoutesFile, Section


class Token(Section):
    """Where access tokens come from, and how long before its end one is renewed."""

    path: str
    renew_before_seconds: float


class Route(Section):
    """A query and the fields it asks for; for lists, the guards of paging."""

    path: str
    fields: tuple[str, ...]
    days: int = 0
    page_size: int = 0
    pages: int = 0
    fruitless_pages: int = 0


class Refusal(Section):
    """What an error's code means."""

    outcome: Outcome
    detail: str


class Routes(Section):
    """All of routes.toml."""

    token: Token
    user: Route
    videos: Route
    comments: Route
    refusals: Mapping[str, Refusal]


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml."""
