"""Opening what a command needs: settings of the environment, a store with a current schema."""

from collections.abc import Iterator
from contextlib import contextmanager

from orchestration.cli.output import CommandFailed
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.migrations import is_current
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings


def settings_of_environment() -> Settings:
    """Read `TRACKER_*` and `.env`; an unusable value ends the command (exit code 2)."""
    return Settings()


@contextmanager
def opened_store(settings: Settings) -> Iterator[OperationalStore]:
    """Open PostgreSQL, or end the command with what is wrong and how to mend it."""
    try:
        with operational_store(settings) as store:
            yield store
    except OperationalStoreError as wrong:
        raise CommandFailed(str(wrong)) from wrong


@contextmanager
def current_store(settings: Settings) -> Iterator[OperationalStore]:
    """Open PostgreSQL and make sure that its schema is the one this version works with."""
    with opened_store(settings) as store:
        if not is_current(store):
            raise CommandFailed("the database schema is not up to date.", "Run `tracker init`.")
        yield store
