"""The schema of routes.toml, which has everything that the official API may change."""

from pathlib import Path

from scrapers.outcomes import Outcome
from scrapers.routes_file import RoutesFile, Section


class Discovery(Section):
    """The one route, its fields, and limits of paging through posts.

    One refused field fails the whole query: after an error of `field_codes` the `unsure_fields`
    are left out.
    """

    path: str
    root: str
    profile_fields: tuple[str, ...]
    unsure_fields: tuple[str, ...]
    field_codes: frozenset[int]
    media_fields: tuple[str, ...]
    page_size: int
    pages: int
    fruitless_pages: int


class Usage(Section):
    """Headers with the used share of the rate limit, and when to pause."""

    headers: tuple[str, ...]
    account_headers: frozenset[str]
    percentages: tuple[str, ...]
    minutes_to_wait: str
    pause_at_percent: float
    pause_seconds: float


class Refusal(Section):
    """An outcome, and the error codes, subcodes and words that mean it."""

    outcome: Outcome
    codes: frozenset[int] = frozenset()
    subcodes: frozenset[int] = frozenset()
    words: tuple[str, ...] = ()
    detail: str


class Routes(Section):
    headers: dict[str, str]
    discovery: Discovery
    usage: Usage
    refusals: tuple[Refusal, ...]


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml."""
