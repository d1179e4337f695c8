"""The shape of routes.toml."""

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

ROUTES_PATH = Path(__file__).with_name("routes.toml")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class User(_Section):
    """Whose the token is."""

    path: str
    fields: tuple[str, ...]


class Videos(_Section):
    """Posts: a list by pages, or those that are named."""

    list_path: str
    query_path: str
    fields: tuple[str, ...]
    page_size: int
    ids_a_query: int
    pages: int
    fruitless_pages: int


class Errors(_Section):
    """Codes of errors by what they mean."""

    token: frozenset[str]
    rate_limited: frozenset[str]
    unreachable: frozenset[str]


class Routes(_Section):
    """All of routes.toml."""

    user: User
    videos: Videos
    errors: Errors


@cache
def routes() -> Routes:
    """Return routes.toml, read once. Raises pydantic's ValidationError if it is malformed."""
    with ROUTES_PATH.open("rb") as file:
        return Routes.model_validate(tomllib.load(file))
