"""Whether the warehouse can be written: by whom it is locked, and whether its file is sound."""

from collections.abc import Iterator

import duckdb

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from warehouse.connection import open_warehouse
from warehouse.settings import Settings
from warehouse.warehouse_lock import writers_kept_out

NEWER = "version number"
"""In what DuckDB says of a file written by a newer DuckDB."""


def check_warehouse(installation: Installation) -> Iterator[Finding]:
    """Find who writes the warehouse; while nobody does, find a file that cannot be read."""
    settings = installation.settings
    with writers_kept_out(settings) as writer:
        if writer is not None:
            yield warn(
                "warehouse",
                f"{writer} is writing; others wait for it",
                "Wait for it. Should it hang, end that process: the lock goes with it.",
            )
        elif not settings.warehouse_path.exists():
            yield warn("warehouse", "there is none yet", "Run `tracker run`.")
        else:
            yield _file(settings)


def _file(settings: Settings) -> Finding:
    try:
        with open_warehouse(settings, read_only=True) as connection:
            [(batches,)] = connection.execute("select count(*) from raw.batches").fetchall()
    except (duckdb.Error, OSError) as error:
        return _unreadable(str(error))
    return ok("warehouse", f"free, {batches} batches ingested")


def _unreadable(reason: str) -> Finding:
    if NEWER in reason:
        way_out = "It was written by a newer DuckDB: install that version (`make install`)."
    else:
        way_out = "End what else has it open; if it is damaged, move it away and `tracker rebuild`."
    return bad("warehouse", f"cannot be read: {reason}", way_out)
