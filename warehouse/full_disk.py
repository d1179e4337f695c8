"""Recognizes errors of a full disk, whichever library met it."""

import errno
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import psycopg
from sqlalchemy.exc import OperationalError

from warehouse.operational.errors import is_lost
from warehouse.settings import Settings
from warehouse.storage.storage import StorageAwayError

_PARTS = (
    os.strerror(errno.ENOSPC),
    os.strerror(errno.EDQUOT),
    f"(os error {errno.ENOSPC})",
    "max_temp_directory_size",
)
"""Parts of messages: of the system, of polars, and of DuckDB (1.5) that cannot spill."""
_OF_POSTGRESQL = (OperationalError, psycopg.OperationalError)
_DATA_FOLDER = "the data folder"
_LEAST_FREE = 16 << 20
"""Bytes that PostgreSQL needs for the next file of its write-ahead log. Without them it ends."""


def says_full(error: Exception) -> bool:
    """Return whether the message is that of a full disk."""
    return any(part in str(error) for part in _PARTS)


def is_full(folder: Path) -> bool:
    return shutil.disk_usage(folder).free < _LEAST_FREE


class Disk(NamedTuple):
    """A disk with data; `path` is the folder that lies on it."""

    path: str
    total: int
    free: int


def disks(settings: Settings) -> list[Disk]:
    """Return each disk of the data folder, of its folders, of the warehouse and what it spills."""
    by_device: dict[int, Disk] = {}
    home, warehouse = settings.home_path, settings.warehouse_path.parent
    spilled = Path(settings.duckdb_temp_directory or warehouse)
    for path in (home, *sorted(home.glob("*/")), warehouse, spilled):
        there = next(each for each in (path, *path.parents) if each.exists())
        usage = shutil.disk_usage(there)
        by_device.setdefault(there.stat().st_dev, Disk(str(there), usage.total, usage.free))
    return [*by_device.values()]


def full_disk(error: Exception, home: Path) -> str | None:
    """Return whose disk is full, or None for another error.

    A PostgreSQL that ended for lack of space says so to one client only. For the others, `home`
    decides, whose disk is that of the embedded server.
    """
    if is_lost(error) and home.exists() and is_full(home):
        return _DATA_FOLDER
    if not says_full(error):
        return None
    if isinstance(error, _OF_POSTGRESQL):
        return "PostgreSQL"
    from duckdb import IOException, OutOfMemoryException  # noqa: PLC0415  commands load it when they run

    of_data_folder = (OSError, StorageAwayError, IOException, OutOfMemoryException)
    return _DATA_FOLDER if isinstance(error, of_data_folder) else None
