"""The only place that opens the warehouse file.

All other code gets a DuckDB connection passed, so that the warehouse can become a DuckLake catalog
one day. A build attaches the file itself, under `warehouse_lock`.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from warehouse.catalogue.raw import DROPPED, RAW
from warehouse.landing.folders import sync
from warehouse.loading import spare_looking_for_pandas
from warehouse.raw.history_view import show_history
from warehouse.settings import Settings
from warehouse.warehouse_lock import OnWait, warehouse_lock

__all__ = ["OnWait", "attach_warehouse", "create_tables", "open_warehouse", "warehouse_lock"]

SCHEMAS = ("raw", "operational", "control")


@contextmanager
def open_warehouse(
    settings: Settings, *, read_only: bool = False, on_wait: OnWait | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to the warehouse, in UTC.

    A writer holds `warehouse_lock` and creates missing schemas and raw tables. A reader takes no
    lock and sees the last commit; while another process has the file open for writing, DuckDB
    raises duckdb.IOException. Analysts read publications instead.
    """
    if read_only:
        with _attached(settings, read_only=True) as connection:
            yield connection
        return
    with warehouse_lock(settings, on_wait), attach_warehouse(settings) as connection:
        yield connection


@contextmanager
def attach_warehouse(settings: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a writing connection as `open_warehouse` does. The caller holds `warehouse_lock`.

    For a run of several steps, which keeps the lock while a build has the file open in between.
    """
    spare_looking_for_pandas()
    _create_file(settings.warehouse_path)
    with _attached(settings, read_only=False) as connection:
        create_tables(connection)
        yield connection


def _create_file(path: Path) -> None:
    """Create a missing file whole: killed between its headers, DuckDB leaves what nothing opens."""
    if not path.exists():
        begun = path.with_name(f"{path.name}.new")
        begun.unlink(missing_ok=True)
        duckdb.connect(begun).close()
        sync(begun)
        begun.replace(path)
        sync(path.parent)


@contextmanager
def _attached(settings: Settings, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": settings.duckdb_memory_limit,
        "threads": settings.duckdb_threads,
        "autoinstall_known_extensions": False,  # no downloads without consent
    }
    path = str(settings.warehouse_path)
    with duckdb.connect(path, read_only=read_only, config=config) as connection:
        connection.execute("set TimeZone = 'UTC'")
        yield connection


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    for schema in SCHEMAS:
        connection.execute(f"create schema if not exists {schema}")
    for relation in DROPPED:
        connection.execute(f"drop table if exists {relation}")
    for table in RAW:
        for statement in table.there:
            connection.execute(statement)
    show_history(connection)


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit at the end of the block, or roll back on an error."""
    connection.begin()
    try:
        yield
    except BaseException:
        with suppress(duckdb.Error):  # the error may have ended the transaction
            connection.rollback()
        raise
    connection.commit()
