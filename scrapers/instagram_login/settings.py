"""The schema of routes.toml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from scrapers.consent.client import ErrorCodes
from scrapers.routes_file import RoutesFile, Section


class User(Section):
    """The token's account."""

    path: str
    fields: tuple[str, ...]


class Media(Section):
    """A paged list of posts."""

    path: str
    fields: tuple[str, ...]
    page_size: int


class Insights(Section):
    """More counters of one post, and their names here."""

    path: str
    metrics: Mapping[str, Literal["view_count", "share_count"]]


class Errors(ErrorCodes[int]):
    """Error codes by meaning, and the signs that a post has no insights, or not this metric."""

    unknown_insights: frozenset[int]
    unknown_insights_words: str
    refused_metric_words: str
    retired_metric_words: str


class Routes(Section):
    user: User
    media: Media
    insights: Insights
    errors: Errors


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml."""
