"""The shape of routes.toml, which holds everything that the official API may change."""

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from scrapers.outcomes import Outcome

ROUTES_PATH = Path(__file__).with_name("routes.toml")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Discovery(_Section):
    """The one route, what it is asked for, and the guards of paging through posts."""

    path: str
    root: str
    profile_fields: tuple[str, ...]
    media_fields: tuple[str, ...]
    page_size: int
    pages: int
    fruitless_pages: int


class Usage(_Section):
    """The headers that tell how much of an allowance is spent, and when to pause."""

    headers: tuple[str, ...]
    percentages: tuple[str, ...]
    minutes_to_wait: str
    pause_at_percent: float
    pause_seconds: float


class Refusal(_Section):
    """An outcome and the codes and subcodes of the errors that stand for it."""

    outcome: Outcome
    codes: frozenset[int] = frozenset()
    subcodes: frozenset[int] = frozenset()
    detail: str


class Routes(_Section):
    """All of routes.toml."""

    headers: dict[str, str]
    discovery: Discovery
    usage: Usage
    refusals: tuple[Refusal, ...]


@cache
def routes() -> Routes:
    """Return routes.toml, read once. Raises pydantic's ValidationError if it is malformed."""
    with ROUTES_PATH.open("rb") as file:
        return Routes.model_validate(tomllib.load(file))
