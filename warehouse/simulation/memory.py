"""An in-memory database that receives facts and runs models like a warehouse.

This module decides how much memory it has, and which input is refused.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import duckdb

from warehouse.publication.layout import DATABASE
from warehouse.publication.opening import HERE, PUBLICATION, make_views_here
from warehouse.publication.sql import quoted_path
from warehouse.rules import create_rules
from warehouse.simulation.inputs import Tables, fill

MOST_READINGS = 500_000
MEMORY = "220MB"
"""With 100 MiB more of the process, and the 190 MiB of an API, less than 512 in all."""
PATIENCE_SECONDS = 10

ROUNDED = """
    select count(*)
    from staging.stg_account_snapshots
    where not is_exact and follower_count is not null
"""
READINGS = "select count(*) from marts.video_deltas"
PACK = "checkpoint warehouse"
"""Compressed tables in memory take a fifth of the space, like those in files."""
PACKED_FROM = 150_000
"""Readings from which tables are compressed; fewer fit as is, and take an eighth less time."""
PATH = f"select path from duckdb_databases() where ends_with(path, '/{DATABASE}')"  # noqa: S608 (a name)

_one_at_a_time = Lock()


class TooManyReadings(Exception):  # noqa: N818 (reads as what happened)
    """The creators' posts have more readings than a simulation processes: MOST_READINGS."""


class RoundedFollowers(Exception):  # noqa: N818 (likewise)
    """Follower goals depend on when rounded readings arrived, which publications do not have."""


class Busy(Exception):  # noqa: N818 (likewise)
    """Other simulations of this process are running."""


@contextmanager
def filled(
    publication: duckdb.DuckDBPyConnection,
    facts: Tables,
    criteria_type: str,
    readings_before: int = 0,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a database of facts, and of the publication's numbers about them.

    `criteria_type` is that of the simulated rule; `readings_before` counts the readings of other
    parts of the same request. Raises TooManyReadings, RoundedFollowers and Busy.
    """
    [path] = publication.execute(PATH).fetchall()[0]
    with in_turn(), _memory() as memory:
        try:
            fill(memory, facts, _attached(memory, Path(path)))
            _pack(memory)
            _require_known(memory, criteria_type, readings_before)
            yield memory
        except duckdb.OutOfMemoryException as error:
            raise TooManyReadings from error


def compute(memory: duckdb.DuckDBPyConnection, statements: Sequence[str]) -> None:
    """Run models on the database's facts."""
    for computation in statements:
        memory.execute(computation)
    _pack(memory)


def _pack(memory: duckdb.DuckDBPyConnection) -> None:
    if readings_in(memory) >= PACKED_FROM:
        memory.execute(PACK)


def _require_known(
    memory: duckdb.DuckDBPyConnection, criteria_type: str, readings_before: int
) -> None:
    if readings_before + readings_in(memory) > MOST_READINGS:
        raise TooManyReadings
    if criteria_type == "goals" and _counted(memory, ROUNDED):
        raise RoundedFollowers


def readings_in(memory: duckdb.DuckDBPyConnection) -> int:
    return _counted(memory, READINGS)


def _counted(memory: duckdb.DuckDBPyConnection, query: str) -> int:
    [count] = memory.execute(query).fetchall()[0]
    return int(count)


@contextmanager
def in_turn() -> Iterator[None]:
    """Limit the memory to that of one simulation, whatever the number of requests."""
    if not _one_at_a_time.acquire(timeout=PATIENCE_SECONDS):
        raise Busy
    try:
        yield
    finally:
        _one_at_a_time.release()


@contextmanager
def _memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield an empty database with the name that the models use."""
    with duckdb.connect(config={"threads": 1, "memory_limit": MEMORY}) as memory:
        memory.execute("set TimeZone = 'UTC'")
        memory.execute("set temp_directory = ''")
        memory.execute("attach ':memory:' as warehouse")
        memory.execute("use warehouse")
        create_rules(memory)
        yield memory


def _attached(memory: duckdb.DuckDBPyConnection, path: Path) -> str:
    """Attach the publication; return the database for reading it."""
    memory.execute(f"attach {quoted_path(path)} as {PUBLICATION} (read_only)")
    make_views_here(memory, path.parent)
    return HERE
