"""The schema of routes.toml."""

from pathlib import Path

from scrapers.consent.client import ErrorCodes
from scrapers.routes_file import RoutesFile, Section


class User(Section):
    """The token's account."""

    path: str
    fields: tuple[str, ...]


class Videos(Section):
    """Posts: a paged list, or by id."""

    list_path: str
    query_path: str
    fields: tuple[str, ...]
    page_size: int
    ids_a_query: int
    pages: int
    fruitless_pages: int


class Routes(Section):
    user: User
    videos: Videos
    errors: ErrorCodes[str]


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml."""
