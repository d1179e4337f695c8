"""The shape of routes.toml, which holds everything that the Research API may change."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from scrapers.outcomes import Outcome


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Token(_Section):
    """Where access tokens come from, and how long before its end one is renewed."""

    path: str
    renew_before_seconds: float


class Route(_Section):
    """A query and the fields it asks for; for lists, the guards of paging."""

    path: str
    fields: tuple[str, ...]
    days: int = 0
    page_size: int = 0
    pages: int = 0
    fruitless_pages: int = 0


class Refusal(_Section):
    """What an error's code means."""

    outcome: Outcome
    detail: str


class Routes(_Section):
    """All of routes.toml."""

    token: Token
    user: Route
    videos: Route
    comments: Route
    refusals: Mapping[str, Refusal]


@cache
def routes() -> Routes:
    """Return routes.toml, read once. Raises pydantic's ValidationError if it is malformed."""
    with Path(__file__).with_name("routes.toml").open("rb") as file:
        return Routes.model_validate(tomllib.load(file))
