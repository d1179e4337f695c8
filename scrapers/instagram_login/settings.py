"""The shape of routes.toml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from scrapers.consent.refusals import ErrorCodes
from scrapers.routes_file import RoutesFile, Section


class User(Section):
    """Whose the token is."""

    path: str
    fields: tuple[str, ...]


class Media(Section):
    """A list of posts by pages."""

    path: str
    fields: tuple[str, ...]
    page_size: int


class Insights(Section):
    """Further counters of one post, and what they are called here."""

    path: str
    metrics: Mapping[str, Literal["view_count", "share_count"]]


class Errors(ErrorCodes[int]):
    """Codes of errors by what they mean, and how it says that a post has no insights."""

    unknown_insights: frozenset[int]
    unknown_insights_words: str


class Routes(Section):
    """All of routes.toml."""

    user: User
    media: Media
    insights: Insights
    errors: Errors


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml."""
