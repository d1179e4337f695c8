"""DuckDB instances beside the warehouse, which may spill rows for which memory has no room."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from warehouse.landing.folders import scratch_folder
from warehouse.settings import Settings


@contextmanager
def spilling_instance(
    settings: Settings, **more: str | bool | int
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield an empty instance in UTC with the limits of a build, and a folder of its own to spill.

    DuckDB (1.5) gives spilled files the same names in each process, and locks none: instances that
    share a folder overwrite each other's rows, without an error. `more` are options of DuckDB.
    """
    named = Path(settings.duckdb_temp_directory or settings.warehouse_path.parent)
    with scratch_folder(named / f"spilled-{os.getuid()}") as folder:  # /tmp is shared by users
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": settings.duckdb_memory_limit,
            "threads": settings.duckdb_threads,
            "temp_directory": str(folder),
            "autoinstall_known_extensions": False,  # no downloads without consent
            **more,
        }
        with duckdb.connect(config=config) as connection:
            connection.execute("set TimeZone = 'UTC'")
            yield connection
