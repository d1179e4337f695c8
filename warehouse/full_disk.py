"""Recognizes errors of a full disk, whichever library met it."""

import errno
import os

import psycopg
from sqlalchemy.exc import OperationalError

from warehouse.storage.storage import StorageAwayError

_PARTS = (
    os.strerror(errno.ENOSPC),
    os.strerror(errno.EDQUOT),
    f"(os error {errno.ENOSPC})",
    "max_temp_directory_size",
)
"""Parts of messages: of the system, of polars, and of DuckDB (1.5) that cannot spill."""
_OF_POSTGRESQL = (OperationalError, psycopg.OperationalError)


def says_full(error: Exception) -> bool:
    """Return whether the message is that of a full disk."""
    return any(part in str(error) for part in _PARTS)


def full_disk(error: Exception) -> str | None:
    """Return whose disk is full, or None for another error."""
    if not says_full(error):
        return None
    if isinstance(error, _OF_POSTGRESQL):
        return "PostgreSQL"
    from duckdb import IOException, OutOfMemoryException  # noqa: PLC0415  commands load it when they run

    of_data_folder = (OSError, StorageAwayError, IOException, OutOfMemoryException)
    return "the data folder" if isinstance(error, of_data_folder) else None
