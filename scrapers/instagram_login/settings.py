"""The shape of routes.toml."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

ROUTES_PATH = Path(__file__).with_name("routes.toml")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class User(_Section):
    """Whose the token is."""

    path: str
    fields: tuple[str, ...]


class Media(_Section):
    """A list of posts by pages."""

    path: str
    fields: tuple[str, ...]
    page_size: int


class Insights(_Section):
    """Further counters of one post, and what they are called here."""

    path: str
    metrics: Mapping[str, Literal["view_count", "share_count"]]


class Errors(_Section):
    """Codes of errors by what they mean."""

    token: frozenset[int]
    rate_limited: frozenset[int]
    unreachable: frozenset[int]
    unknown_insights: frozenset[int]
    unknown_insights_words: str


class Routes(_Section):
    """All of routes.toml."""

    user: User
    media: Media
    insights: Insights
    errors: Errors


@cache
def routes() -> Routes:
    """Return routes.toml, read once. Raises pydantic's ValidationError if it is malformed."""
    with ROUTES_PATH.open("rb") as file:
        return Routes.model_validate(tomllib.load(file))
