"""Dump and restore the operational store with PostgreSQL's pg_dump and pg_restore.

The programs come from the installation even if the server does not. They read servers of our
oldest supported version up to their own.
"""

import os
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import Connection, text
from sqlalchemy.exc import ProgrammingError

from warehouse.backup.errors import DumpFailedError, InUseError, NotEmptyError
from warehouse.dagster_settings import DAGSTER_SCHEMA
from warehouse.lake.catalog import CATALOG
from warehouse.operational.engines import LIMIT_IDLE
from warehouse.operational.migrations import known_revisions
from warehouse.operational.models import Organization
from warehouse.operational.server_programs import find_binaries
from warehouse.operational.session import driver_of
from warehouse.operational.store import OperationalStore
from warehouse.raw.sharing import LONGEST_READ

ASIDE = "before_restore_"
"""Prefix of the schemas into which a restore moves older tables."""
LOCK_PATIENCE = "60s"
OTHERS = text(
    "select count(*) from pg_stat_activity where datname = current_database()"
    " and backend_type = 'client backend' and pid <> pg_backend_pid()"
)
OUR_TABLES = frozenset(Organization.metadata.tables) | {"alembic_version"}


class Snapshot:
    """One state of PostgreSQL, available while its transaction is open."""

    def __init__(self, store: OperationalStore, connection: psycopg.Connection) -> None:
        self.exported_at = datetime.now(UTC)
        self._dsn = store.dsn
        self._connection = connection
        [(self._name,)] = connection.execute("select pg_export_snapshot()").fetchall()

    def dump(self, target: Path) -> None:
        """Write the database as of the snapshot to `target`.

        Excludes the lake, which the next run fills, and Dagster's history.
        """
        run_program(
            self._dsn,
            *("pg_dump", "--format=custom", "--no-owner", "--no-privileges"),
            f"--exclude-schema={ASIDE}*",
            f"--exclude-schema={CATALOG}",
            f"--exclude-schema={DAGSTER_SCHEMA}*",
            f"--snapshot={self._name}",
            f"--lock-wait-timeout={LOCK_PATIENCE}",
            f"--file={target}",
        )

    def schema_revisions(self) -> tuple[str, ...]:
        rows = self._connection.execute("select version_num from alembic_version order by 1")
        return tuple(revision for (revision,) in rows)

    def all_registered(self) -> set[UUID]:
        rows = self._connection.execute("select batch_id from registered_batches")
        return {batch_id for (batch_id,) in rows}

    def registered(self, ids: Collection[UUID]) -> dict[UUID, UUID | None]:
        """Return the committed forms of the registered ones among these batches."""
        rows = self._connection.execute(
            "select batch_id, form from registered_batches where batch_id = any(%s)", [list(ids)]
        )
        return dict(rows.fetchall())


@contextmanager
def snapshot(store: OperationalStore) -> Iterator[Snapshot]:
    """Yield a snapshot, which may wait for a dump and for the archive's copy."""
    with store.read_session() as session:
        session.execute(text(f"select {LIMIT_IDLE}"), {"idle": LONGEST_READ})
        yield Snapshot(store, driver_of(session))


def restore_dump(store: OperationalStore, dump: Path) -> None:
    """Restore a dump into an empty database, in one transaction."""
    run_program(
        store.dsn,
        *("pg_restore", "--single-transaction", "--exit-on-error"),
        *("--no-owner", "--no-privileges"),
        str(dump),
    )


def require_room(store: OperationalStore, *, force: bool) -> None:
    """Raise unless the database is empty, or with `force`, holds only our unused tables."""
    with store.engine.connect() as connection:
        tables = _tables(connection)
        if tables and not force:
            raise NotEmptyError(
                "the database is not empty: set TRACKER_DATABASE_URL to an empty one, or use "
                "--force, which moves its tables aside"
            )
        foreign = sorted(tables - OUR_TABLES)
        if foreign and not _is_of_later_version(connection, tables):
            raise NotEmptyError(
                f"the database has tables of another program ({foreign[0]}): set "
                "TRACKER_DATABASE_URL to a database of its own"
            )
        if tables and (others := _others(connection)):
            raise InUseError(
                f"{others} other connections use the database: stop them first "
                "(`tracker up`, `tracker serve`, runs)"
            )


def _others(connection: Connection) -> int:
    """Return how many others are connected; one that was just closed may take a moment to end."""
    for _ in range(30):
        connection.rollback()  # a transaction sees the same connections throughout
        if not (others := connection.scalar(OTHERS)):
            break
        time.sleep(0.1)
    return others or 0


def set_tables_aside(store: OperationalStore, at: datetime) -> str | None:
    """Move the database's tables into a schema of their own. Returns its name, or None if empty."""
    name = f"{ASIDE}{at:%Y%m%dt%H%M%S_%f}"
    try:
        with store.engine.begin() as connection:
            if not _tables(connection):
                return None
            connection.execute(text(f"alter schema public rename to {name}"))
            if connection.dialect.has_schema(connection, DAGSTER_SCHEMA):  # it knows what was run
                aside = f"{name}_{DAGSTER_SCHEMA}"
                connection.execute(text(f"alter schema {DAGSTER_SCHEMA} rename to {aside}"))
            connection.execute(text("create schema public authorization pg_database_owner"))
            connection.execute(text("grant usage on schema public to public"))
    except ProgrammingError as error:
        raise NotEmptyError(
            f"the tables cannot be moved aside ({error.orig}): set TRACKER_DATABASE_URL to an "
            "empty database"
        ) from error
    return name


def run_program(dsn: str, program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs.

    The password is passed by environment, not on the command line.
    """
    address = conninfo_to_dict(dsn)
    password = address.pop("password", None)
    secret = {"PGPASSWORD": str(password)} if password else {}
    ended = subprocess.run(  # noqa: S603  no shell, and no argument comes from a request
        [find_binaries() / program, f"--dbname={make_conninfo('', **address)}", *arguments],
        env={**os.environ, **secret, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise DumpFailedError(" ".join(f"{program} failed: {ended.stderr}".split()))


def _is_of_later_version(connection: Connection, tables: set[str]) -> bool:
    """Return whether a later version migrated our schema, so that it has tables unknown here."""
    if not tables.issuperset(("alembic_version", "organizations", "registered_batches")):
        return False
    revisions = connection.scalars(text("select version_num from alembic_version"))
    return max(revisions, default="") > max(known_revisions())


def _tables(connection: Connection) -> set[str]:
    rows = connection.execute(text("select tablename from pg_tables where schemaname = 'public'"))
    return set(rows.scalars())
