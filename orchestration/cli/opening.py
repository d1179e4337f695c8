"""Opening what a command needs: settings of the environment, a store with a current schema."""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from orchestration.cli.output import CommandFailed, complain
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.migrations import is_current
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.privacy import close_to_others
from warehouse.settings import Settings, unknown_settings


class UnusableSettings(CommandFailed):
    """Settings that can't be used: `problems` has the name of each and what is wrong with it."""

    WAY_OUT = "Mend it in the environment or in .env."

    def __init__(self, invalid: ValidationError) -> None:
        self.problems = [
            ("TRACKER_" + "_".join(str(part) for part in error["loc"]).upper(), error["msg"])
            for error in invalid.errors()
        ]
        name, message = self.problems[0]
        super().__init__(f"{name} is not usable: {message}.", self.WAY_OUT, exit_code=2)


def settings_of_environment() -> Settings:
    """Read `TRACKER_*` and `.env`; an unusable value ends the command (exit code 2).

    A name that is no setting is reported with the nearest one, and changes nothing.
    """
    for name, nearest in unknown_settings().items():
        complain(f"{name} is no setting.", f"Is it {nearest}?" if nearest else None)
    try:
        return Settings()
    except ValidationError as invalid:
        raise UnusableSettings(invalid) from invalid


@contextmanager
def opened_store(settings: Settings) -> Iterator[OperationalStore]:
    """Open PostgreSQL, or end the command with what is wrong and how to mend it.

    What others can read of the data folder is closed to them first.
    """
    if closed_by_owner := close_to_others(settings):
        complain(f"{closed_by_owner[0]} is not ours to close to others.", "See `tracker doctor`.")
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
