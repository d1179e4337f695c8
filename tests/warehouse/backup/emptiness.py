"""Empty databases and folders."""

import psycopg

from tests.warehouse.backup.service import operational_rows
from warehouse.settings import Settings


def emptied(database_url: str) -> None:
    """Drop all tables of a database."""
    with psycopg.connect(database_url) as connection:
        connection.execute("drop schema public cascade")
        connection.execute("create schema public authorization pg_database_owner")


def url_of(settings: Settings) -> str:
    return settings.database_url.get_secret_value()


def is_untouched(settings: Settings) -> bool:
    """Return whether the data folder and the database are empty."""
    has_files = settings.home_path.exists() and any(settings.home_path.iterdir())
    return not has_files and operational_rows(url_of(settings)) == {}
