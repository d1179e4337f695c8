"""Opens what a command needs: settings from the environment, a store with a current schema."""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from orchestration.cli.output import CommandFailed, complain
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.migrations import is_current
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.privacy import close_to_others
from warehouse.removed_settings import given_variables, removed_settings
from warehouse.settings import ENV_FILE, Settings, unknown_settings


class UnusableSettings(CommandFailed):
    """Invalid settings: `problems` has the name of each and what is wrong with it."""

    WAY_OUT = "Fix it in the environment or in .env."

    def __init__(self, invalid: ValidationError) -> None:
        self.problems = [
            (
                "TRACKER_" + "_".join(map(str, error["loc"])).upper(),
                error["msg"].removeprefix("Value error, "),
            )
            for error in invalid.errors()
        ]
        name, message = self.problems[0]
        super().__init__(f"{name} is invalid: {message}.", self.WAY_OUT, exit_code=2)


def settings_of_environment() -> Settings:
    """Read `TRACKER_*` and `.env`; an invalid value ends the command with exit code 2.

    Unknown names are reported with the nearest setting, removed ones with what replaces them. Both
    are ignored.
    """
    for removed, instead in removed_settings(given_variables(ENV_FILE)):
        complain(removed, instead)
    for name, nearest in unknown_settings().items():
        complain(f"{name} is not a setting.", f"Did you mean {nearest}?" if nearest else None)
    try:
        return Settings()
    except ValidationError as invalid:
        raise UnusableSettings(invalid) from invalid


def unreadable_publication(error: Exception) -> CommandFailed:
    """Return the error of a command that cannot read the current publication."""
    reason = " ".join(str(error).split())
    return CommandFailed(f"the publication cannot be read: {reason}", "See `tracker doctor`.")


@contextmanager
def opened_store(settings: Settings) -> Iterator[OperationalStore]:
    """Open PostgreSQL, or end the command with what is wrong and how to fix it.

    First removes other users' access to the data folder.
    """
    if closed_by_owner := close_to_others(settings):
        complain(f"cannot restrict access to {closed_by_owner[0]}.", "See `tracker doctor`.")
    try:
        with operational_store(settings) as store:
            yield store
    except OperationalStoreError as wrong:
        raise CommandFailed(str(wrong)) from wrong


@contextmanager
def current_store(settings: Settings) -> Iterator[OperationalStore]:
    """Open PostgreSQL. Raises CommandFailed unless the schema is up to date."""
    with opened_store(settings) as store:
        if not is_current(store):
            raise CommandFailed("the database schema is not up to date.", "Run `tracker init`.")
        yield store
