"""Generated history of any length, in a data folder of its own, for the benchmarks.

Organizations are created in PostgreSQL as usual; everything else is written straight into the
warehouse, since registering millions of readings is not measured here. The same size gives the same
numbers, and a longer history only begins earlier.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb

from orchestration.cli.output import say
from warehouse.connection import open_warehouse
from warehouse.operational.migrations import migrate
from warehouse.operational.organizations import NewOrganization, create_organization
from warehouse.operational.store import operational_store
from warehouse.raw.operational_copy import copy_operational
from warehouse.settings import Settings

SQL = Path(__file__).parent / "sql"
ENDS = datetime(2026, 7, 15, tzinfo=UTC)
"""The end of the history: one more day lies within its month."""
ONE_DAY = timedelta(days=1)
ONE_HOUR = timedelta(hours=1)
PASSES_A_DAY = 4
HOURS_OF_A_PASS = 6
PASSES_AT_ONCE = 28
"""Passes generated in one statement, which limits memory."""
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "America/Los_Angeles",
    "Asia/Tokyo",
    "Australia/Adelaide",
    "America/Sao_Paulo",
    "Europe/London",
    "Asia/Kathmandu",
)


@dataclass(frozen=True)
class Size:
    """The amount of history: every post is read PASSES_A_DAY times a day."""

    videos: int
    creators: int
    days: int

    @property
    def snapshots(self) -> int:
        """The approximate number of readings of posts: one in a thousand is duplicated."""
        return self.videos * self.days * PASSES_A_DAY


@dataclass(frozen=True)
class World:
    """A data folder with a history."""

    home: Path
    size: Size
    organizations: tuple[NewOrganization, ...]

    @property
    def settings(self) -> Settings:
        return settings_of(self.home)


def settings_of(home: Path) -> Settings:
    """Return the settings of a benchmarked service, without the environment's .env."""
    return Settings(home=home, now=ENDS, api_rate_limits=False, _env_file=None)


def make_world(home: Path, size: Size, *more_decisions: str) -> World:
    """Make organizations, what they track, and the history up to ENDS.

    `more_decisions` are scripts of `sql/` that run after operational.sql.
    """
    say("  making the history")
    settings = settings_of(home)
    home.mkdir(parents=True)
    with operational_store(settings) as store, open_warehouse(settings) as connection:
        migrate(store)
        with store.write_session() as session:
            organizations = tuple(
                create_organization(
                    session, name=zone, plan="ultra", analytics_tz=zone, project_name="All"
                )
                for zone in ZONES
            )
        copy_operational(store, connection)
        begins = ENDS - size.days * ONE_DAY
        run_script(
            connection, "operational", creators=size.creators, videos=size.videos, begins=begins
        )
        for script in more_decisions:
            run_script(connection, script)
        for first, last in _spans(-size.days * PASSES_A_DAY, 0):
            add_passes(connection, first, last)
    return World(home, size, organizations)


def add_day(settings: Settings, day: int) -> datetime:
    """Add the readings of a day after the history, counted from 0; return its end."""
    with open_warehouse(settings) as connection:
        add_passes(connection, day * PASSES_A_DAY, (day + 1) * PASSES_A_DAY)
    return ENDS + (day + 1) * ONE_DAY


def add_pass(settings: Settings, number: int) -> datetime:
    """Add the readings of a pass after the history, counted from 0; return its end."""
    with open_warehouse(settings) as connection:
        add_passes(connection, number, number + 1)
    return ENDS + (number + 1) * ONE_DAY / PASSES_A_DAY


def add_hour(settings: Settings, hour: int) -> datetime:
    """Add an hour's readings of a sixth of the accounts, counted from 0; return its end.

    Batches are numbered by hours, so no passes may follow.
    """
    with open_warehouse(settings) as connection:
        add_passes(connection, hour, hour + 1, hours=1)
    return ENDS + (hour + 1) * ONE_HOUR


def add_passes(
    connection: duckdb.DuckDBPyConnection, first: int, last: int, hours: int = HOURS_OF_A_PASS
) -> None:
    """Add the readings of passes `first` to `last` (exclusive); pass 0 begins at ENDS."""
    run_script(connection, "readings", ends=ENDS, first_pass=first, last_pass=last, hours=hours)


def run_script(connection: duckdb.DuckDBPyConnection, name: str, **variables: object) -> None:
    """Run a script of `sql/` with session variables."""
    for variable, value in variables.items():
        connection.execute(f"set variable {variable} = $value", {"value": value})
    connection.execute((SQL / f"{name}.sql").read_text(encoding="utf-8"))


def _spans(first: int, last: int) -> Iterator[tuple[int, int]]:
    for start in range(first, last, PASSES_AT_ONCE):
        yield start, min(start + PASSES_AT_ONCE, last)
