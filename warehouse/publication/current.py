"""Reading the current publication from many threads, following `current.duckdb` as it moves.

A reader costs one os.readlink and one cursor. Knows nothing of what the marts hold.

Readers call the rules of this version (see `warehouse.rules`) and name its tables: the
publication's own, or, where other models made it, what stands `beside` it meanwhile. One that was
`moved` is read by views for where it lies.
"""

import os
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from uuid import UUID

import duckdb

from warehouse.publication.beside import READ_BESIDE, put_beside
from warehouse.publication.errors import NoPublication
from warehouse.publication.info import PublicationInfo, read_info
from warehouse.publication.layout import CURRENT, DATABASE
from warehouse.publication.moved import READ_HERE, make_views_here, was_moved

__all__ = ["CurrentPublication", "NoPublication", "open_one"]


PROJECTS = """
    select
        organizations.organization_id,
        coalesce(list(projects.project_id) filter (where projects.project_id is not null), [])
    from marts.organizations
    left join marts.projects using (organization_id)
    group by organizations.organization_id
"""
OPENING = Lock()
"""Held by the one thread of the process that opens a publication: two that open the same at once
share one database, and the first to lock its configuration would stop the other in the midst.
"""


@dataclass
class Opened:
    """An open publication; `leases` counts its readers, and one more while it is current.

    Its cursors may be taken by the holder of a lease.
    """

    target: str
    database: duckdb.DuckDBPyConnection
    info: PublicationInfo
    was_moved: bool
    leases: int = 1

    @property
    def publications(self) -> tuple[UUID, ...]:
        """Which publications are read: one, or those of several shards."""
        return (self.info.publication_id,)

    @cached_property
    def projects(self) -> Mapping[UUID, Set[UUID]]:
        """Whose numbers are in it: organizations, each with its projects."""
        with self.database.cursor() as cursor:
            rows = cursor.execute(PROJECTS).fetchall()
        return {organization_id: frozenset(projects) for organization_id, projects in rows}

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a cursor to which schemas `rules` and `machinery` are those of this version."""
        with self.database.cursor() as cursor:
            if self.info.is_of_other_models:
                cursor.execute(READ_BESIDE)
            elif self.was_moved:
                cursor.execute(READ_HERE)
            yield cursor


class CurrentPublication:
    """The current publication, whichever that is at the moment; safe to share by all threads.

    A cursor stays on the publication it was taken from. A replaced publication's file is closed
    when its last cursor is gone.
    """

    def __init__(self, publications_path: Path) -> None:
        self._publications = publications_path
        self._lock = Lock()
        self._opened: Opened | None = None

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a read-only cursor (UTC) on the current publication. Raises NoPublication."""
        with self.reading() as (cursor, _):
            yield cursor

    @contextmanager
    def reading(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, PublicationInfo]]:
        """Yield a cursor, and which publication it is on. Raises NoPublication."""
        with self.lease() as opened, opened.cursor() as cursor:
            yield cursor, opened.info

    def info(self) -> PublicationInfo:
        """Return which publication is current. Raises NoPublication."""
        with self.lease() as opened:
            return opened.info

    def target(self) -> str | None:
        """Return what the link to the current publication says, None where there is none."""
        try:
            return os.readlink(self._publications / CURRENT)
        except FileNotFoundError:
            return None

    def was_moved(self) -> bool:
        """Tell whether the current publication lies elsewhere than where it was made."""
        with self.lease() as opened:
            return opened.was_moved

    def close(self) -> None:
        """Let go of the publication; its file is closed when the last cursor is gone."""
        with self._lock:
            self._replace(None)

    @contextmanager
    def lease(self) -> Iterator[Opened]:
        """Yield the current publication, which stays open for the block. Raises NoPublication."""
        with self._lock:
            opened = self._current()
            opened.leases += 1
        try:
            yield opened
        finally:
            with self._lock:
                _end_lease(opened)

    def _current(self) -> Opened:
        """Return the open current publication, opened now if the link has moved."""
        while True:
            target = self.target()
            if target is None:
                raise NoPublication
            if self._opened is not None and self._opened.target == target:
                return self._opened
            try:
                opened = _open(self._publications, target)
            except duckdb.IOException:
                if self.target() == target:
                    raise
                continue  # the link moved on and that publication is gone
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
    """Open a publication, however long ago it was replaced, until its database is closed.

    Raises NoPublication.
    """
    try:
        return _open(publications, f"{publication_id}/{DATABASE}")
    except duckdb.IOException:
        raise NoPublication from None


def _open(publications: Path, target: str) -> Opened:
    """Open a publication read-only, unable to read any file outside the publications' folder.

    Each query runs in its reader's own thread: handing small ones to others costs more than it
    gains, and many readers at once need all processors anyway.
    """
    with OPENING:
        database = duckdb.connect(publications / target, read_only=True, config={"threads": 1})
        try:
            return _prepared(database, publications, target)
        except BaseException:
            database.close()
            raise


def _prepared(database: duckdb.DuckDBPyConnection, publications: Path, target: str) -> Opened:
    # What a process opens twice is one database to DuckDB, which then is as it has to be.
    is_ready = _is_locked(database)
    if not is_ready:
        database.execute("set global TimeZone = 'UTC'")
        database.execute("set global parquet_metadata_cache = true")
    info = read_info(database)
    moved = was_moved(database, (publications / target).parent)
    opened = Opened(target, database, info, moved)
    if not is_ready:
        _make_ready(opened, publications)
    return opened


def _make_ready(opened: Opened, publications: Path) -> None:
    """Put beside it what readers name, and let it read nothing else from then on."""
    database = opened.database
    if opened.info.is_of_other_models:
        put_beside(database)
    elif opened.was_moved:
        make_views_here(database, (publications / opened.target).parent)
    database.execute("set allowed_directories = [$folder]", {"folder": str(publications)})
    database.execute("set enable_external_access = false")
    database.execute("set lock_configuration = true")


def _is_locked(database: duckdb.DuckDBPyConnection) -> bool:
    [locked] = database.execute("select current_setting('lock_configuration')").fetchall()[0]
    return bool(locked)
