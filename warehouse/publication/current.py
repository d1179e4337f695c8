"""Reads the current publication from many threads, following `current.duckdb`.

A reader costs one os.readlink and one cursor. The content of marts is not known here.

Readers use this version's macros (see `warehouse.rules`), and views that are made in memory when a
publication is opened (`opening`).
"""

import os
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from time import monotonic
from uuid import UUID

import duckdb

from warehouse.publication.errors import NoPublication
from warehouse.publication.info import PublicationInfo, read_info
from warehouse.publication.layout import CURRENT, DATABASE
from warehouse.publication.opening import READ_HERE, make_views_here, was_moved

__all__ = ["CurrentPublication", "NoPublication", "open_one"]


RETRY_SECONDS = 1.0
"""Time between attempts to open a locked publication: each takes 9 ms, and readers wait for it."""
ORGANIZATIONS = "select organization_id from marts.organizations"
OPENING = Lock()
"""Held while a thread opens a publication. Two threads that open the same one share one database,
and the first to lock its configuration would stop the other.
"""


@dataclass
class Opened:
    """An open publication. `leases` counts its readers, plus one while it is current.

    The holder of a lease may take cursors.
    """

    target: str
    database: duckdb.DuckDBPyConnection
    info: PublicationInfo
    leases: int = 1

    @cached_property
    def organizations(self) -> Set[UUID]:
        with self.database.cursor() as cursor:
            return frozenset(row[0] for row in cursor.execute(ORGANIZATIONS).fetchall())

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a cursor whose schemas `rules` and `machinery` are of this version."""
        with self.database.cursor() as cursor:
            cursor.execute(READ_HERE)
            yield cursor


class CurrentPublication:
    """The current publication at any moment; threads may share it.

    While it cannot be opened, readers get the one that is open, or duckdb.IOException without one.
    A cursor stays on the publication it was taken from. A replaced publication's file is closed
    with its last cursor.
    """

    def __init__(self, publications_path: Path) -> None:
        self._publications = publications_path
        self._lock = Lock()
        self._opened: Opened | None = None
        self._locked = ("", 0.0)
        """The target of a publication that was locked, and when to try it again (monotonic)."""

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a read-only cursor (UTC) on the current publication. Raises NoPublication."""
        with self.reading() as (cursor, _):
            yield cursor

    @contextmanager
    def reading(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, PublicationInfo]]:
        """Yield (cursor, publication). Raises NoPublication."""
        with self.lease() as opened, opened.cursor() as cursor:
            yield cursor, opened.info

    def info(self) -> PublicationInfo:
        """Return the current publication. Raises NoPublication."""
        with self.lease() as opened:
            return opened.info

    def target(self) -> str | None:
        """Return the target of the link to the current publication, or None."""
        try:
            return os.readlink(self._publications / CURRENT)
        except FileNotFoundError:
            return None

    def was_moved(self) -> bool:
        """Return whether the current publication is in another folder than where it was made."""
        with self.lease() as opened, opened.cursor() as cursor:
            return was_moved(cursor, (self._publications / opened.target).parent)

    def close(self) -> None:
        """Release the publication. Its file is closed with the last cursor."""
        with self._lock:
            self._replace(None)

    @contextmanager
    def lease(self) -> Iterator[Opened]:
        """Yield the current publication, open during the block. Raises NoPublication."""
        with self._lock:
            opened = self._current()
            opened.leases += 1
        try:
            yield opened
        finally:
            with self._lock:
                _end_lease(opened)

    def _current(self) -> Opened:
        """Return the current publication, opened if the link has moved."""
        while True:
            target = self.target()
            if target is None:
                self._replace(None)  # else retention could never remove what was given up
                raise NoPublication
            is_locked = self._locked[0] == target and monotonic() < self._locked[1]
            if self._opened is not None and (self._opened.target == target or is_locked):
                return self._opened
            try:
                opened = _open(self._publications, target)
            except duckdb.IOException:
                if self.target() != target:
                    continue  # the link has moved and that publication is gone
                if self._opened is None:
                    raise
                # A program that may write to the new one has locked it.
                self._locked = target, monotonic() + RETRY_SECONDS
                return self._opened
            self._replace(opened)
            return opened

    def _replace(self, opened: Opened | None) -> None:
        if self._opened is not None:
            _end_lease(self._opened)
        self._opened = opened


def _end_lease(opened: Opened) -> None:
    opened.leases -= 1
    if opened.leases == 0:
        opened.database.close()


def open_one(publications: Path, publication_id: UUID) -> Opened:
    """Open a publication, also a replaced one, until its database is closed.

    Raises NoPublication.
    """
    try:
        return _open(publications, f"{publication_id}/{DATABASE}")
    except duckdb.IOException:
        raise NoPublication from None


def _open(publications: Path, target: str) -> Opened:
    """Open a publication read-only, without access to files outside of the publications' folder.

    Each query runs in its reader's thread: distributing small queries costs more than it gains,
    and many readers use all processors anyway.
    """
    with OPENING:
        database = duckdb.connect(publications / target, read_only=True, config={"threads": 1})
        try:
            return _prepared(database, publications, target)
        except BaseException:
            database.close()
            raise


def _prepared(database: duckdb.DuckDBPyConnection, publications: Path, target: str) -> Opened:
    # DuckDB opens a file twice as one database, which then is configured already.
    is_ready = _is_locked(database)
    if not is_ready:
        database.execute("set global TimeZone = 'UTC'")
        database.execute("set global parquet_metadata_cache = true")
        database.execute("set temp_directory = ''")  # processes that share one spoil their rows
    info = read_info(database)
    if not is_ready:
        make_views_here(database, (publications / target).parent)
        database.execute("set allowed_directories = [$folder]", {"folder": str(publications)})
        database.execute("set enable_external_access = false")
        database.execute("set lock_configuration = true")
    return Opened(target, database, info)


def _is_locked(database: duckdb.DuckDBPyConnection) -> bool:
    [locked] = database.execute("select current_setting('lock_configuration')").fetchall()[0]
    return bool(locked)
