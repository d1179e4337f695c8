"""The schema of routes.toml, which has everything that the Research API may change."""

from collections.abc import Mapping
from pathlib import Path

from scrapers.outcomes import Outcome
from scrapers.routes_file import RoutesFile, Section


class Token(Section):
    """The route of access tokens, and how long before its end one is renewed."""

    path: str
    renew_before_seconds: float


class Route(Section):
    """A query and its fields; for lists, limits of paging."""

    path: str
    fields: tuple[str, ...]
    days: int = 0
    page_size: int = 0
    pages: int = 0
    fruitless_pages: int = 0


class Refusal(Section):
    """The meaning of an error code."""

    outcome: Outcome
    detail: str


class Routes(Section):
    token: Token
    user: Route
    videos: Route
    comments: Route
    refusals: Mapping[str, Refusal]


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml."""
