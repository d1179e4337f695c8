"""The shape of routes.toml."""

from pathlib import Path

from scrapers.consent.refusals import ErrorCodes
from scrapers.routes_file import RoutesFile, Section


class User(Section):
    """Whose the token is."""

    path: str
    fields: tuple[str, ...]


class Videos(Section):
    """Posts: a list by pages, or those that are named."""

    list_path: str
    query_path: str
    fields: tuple[str, ...]
    page_size: int
    ids_a_query: int
    pages: int
    fruitless_pages: int


class Routes(Section):
    """All of routes.toml."""

    user: User
    videos: Videos
    errors: ErrorCodes[str]


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml."""
