"""Checks PostgreSQL: reachable, new enough, with the current schema and all its unique keys.

Without its key a table may have duplicates, and every build fails.
`tests/dbt_project/test_claims.py` checks that PostgreSQL enforces each key of a data test.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from sqlalchemy import (
    Column,
    Connection,
    Inspector,
    Table,
    UniqueConstraint,
    func,
    inspect,
    select,
    text,
)

from orchestration.cli.doctor.finding import Finding, Installation, answered, bad, ok, warn
from warehouse.encryption import Encryption
from warehouse.operational.base import Base
from warehouse.operational.clock import ALLOWED_SKEW, clock_skew
from warehouse.operational.engines import OPEN_AT_MOST
from warehouse.operational.errors import BinariesMissingError, OperationalStoreError
from warehouse.operational.migrations import (
    BY_WAY_OF,
    NewerSchemaError,
    OlderSchemaError,
    applied_revisions,
    is_current,
    require_known,
)
from warehouse.operational.server_programs import VERSION, find_binaries
from warehouse.operational.store import OperationalStore, store_as_it_is
from warehouse.sealed import WAY_BACK, unreadable_kinds
from warehouse.secret_key import existing_key
from warehouse.settings import Settings

OPENED_BY_API = 3 * OPEN_AT_MOST
MOST_USED = 0.8
CONNECTIONS = text("""
    select
        current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int as allowed,
        (select count(*) from pg_stat_activity where backend_type = 'client backend') as used
""")


class BrokenKey(NamedTuple):
    """Columns that should be unique; `times` counts duplicated values."""

    table: str
    columns: tuple[str, ...]
    times: int


def broken_keys(store: OperationalStore) -> list[BrokenKey]:
    """Return the violated keys. Reads rows only if PostgreSQL does not enforce a key."""
    with store.engine.connect() as connection:
        catalog = inspect(connection)
        there = set(catalog.get_table_names())
        lacking = [
            (table, columns)
            for table in Base.metadata.sorted_tables
            if table.name in there
            for columns in _unenforced_keys(table, catalog)
        ]
        keys = [
            BrokenKey(table.name, key, _times(connection, table, key)) for table, key in lacking
        ]
    return [key for key in keys if key.times]


def _unenforced_keys(table: Table, catalog: Inspector) -> set[tuple[str, ...]]:
    enforced = {
        tuple(name or "" for name in index["column_names"])
        for index in catalog.get_indexes(table.name)
        if index["unique"]
    }
    names = {column["name"] for column in catalog.get_columns(table.name)}
    return {key for key in _keys(table) - enforced if names.issuperset(key)}


def _keys(table: Table) -> set[tuple[str, ...]]:
    """Return the unique constraints of a table, without partial ones."""
    return {
        tuple(column.name for column in constraint.columns)
        for constraint in table.constraints
        if isinstance(constraint, UniqueConstraint)
    }


def _times(connection: Connection, table: Table, key: tuple[str, ...]) -> int:
    columns: list[Column[object]] = [table.c[name] for name in key]
    several = (
        select(*columns)
        .where(*(column.is_not(None) for column in columns))
        .group_by(*columns)
        .having(func.count() > 1)
    )
    return connection.scalar(select(func.count()).select_from(several.subquery())) or 0


def check_postgresql(installation: Installation) -> Iterator[Finding]:
    """Report a PostgreSQL that cannot be reached, is too old, or cannot be started."""
    settings = installation.settings
    began = monotonic()
    try:
        with store_as_it_is(settings) as store:
            if store is not None:
                timing = answered(began)
                yield ok("postgresql", f"{timing} ({_kind(settings)})")
                yield _clocks(store)
                yield _connections(store)
                return
    except OperationalStoreError as wrong:
        yield bad("postgresql", str(wrong), _way_out(settings))
        return
    yield _could_start(embedded_data(settings))


def _clocks(store: OperationalStore) -> Finding:
    with store.read_session() as session:
        skew = clock_skew(session)
    if abs(skew) <= ALLOWED_SKEW:
        return ok("clocks", "this machine and PostgreSQL agree")
    side = "ahead of" if skew > timedelta() else "behind"
    return bad(
        "clocks",
        f"this machine's clock is {abs(skew).total_seconds():.0f} s {side} PostgreSQL's",
        "Synchronize both, e.g. with chrony. Nothing is fetched here until they agree, and nothing "
        "is computed while they are more than a minute apart.",
    )


def _connections(store: OperationalStore) -> Finding:
    """Compare the open connections with PostgreSQL's limit, and say how many API processes fit."""
    with store.read_session() as session:
        row = session.execute(CONNECTIONS).one()
    limit, used = int(row.allowed), int(row.used)
    message = f"{used} of {limit} open: enough for {limit // OPENED_BY_API} API processes"
    if used < MOST_USED * limit:
        return ok("postgresql connections", message)
    way_out = f"Raise PostgreSQL's max_connections: an API process opens up to {OPENED_BY_API}."
    return warn("postgresql connections", message, way_out)


def embedded_data(settings: Settings) -> Path:
    return settings.home_path / "postgres" / "data"


def check_schema(installation: Installation) -> Iterator[Finding]:
    """Report a schema that is missing, old or newer, and broken keys that stop all runs."""
    try:
        with store_as_it_is(installation.settings) as store:
            if store is None:
                yield warn(
                    "schema",
                    "not checked: the embedded PostgreSQL is not running",
                    "Run `tracker init`: it starts PostgreSQL and updates the schema.",
                )
                return
            applied, current = applied_revisions(store), is_current(store)
            broken = broken_keys(store)
    except OperationalStoreError:
        yield warn("schema", "not checked: PostgreSQL cannot be used", "See postgresql above.")
        return
    yield _schema(applied, is_current=current)
    for key in broken:
        yield _stopped_by(key)


def check_secret_key(installation: Installation) -> Iterator[Finding]:
    """Report stored secrets that the secret key does not open, by a row of each kind."""
    encryption = Encryption(existing_key(installation.settings) or b"")
    with installation.store() as store:
        if not is_current(store):
            return  # check_schema reports it
        with store.read_session() as session:
            unreadable = list(unreadable_kinds(session, encryption))
    if unreadable:
        yield bad("secret key", f"does not open stored {', '.join(unreadable)}", WAY_BACK)
    else:
        yield ok("secret key", "opens what it encrypted")


def _schema(applied: set[str], *, is_current: bool) -> Finding:
    if is_current:
        return ok("schema", f"up to date ({', '.join(sorted(applied))})")
    if not applied:
        return bad("schema", "this database has none", "Run `tracker init`.")
    try:
        require_known(applied)
    except NewerSchemaError as newer:
        message = f"revision {newer.revision} is newer than this program"
        return bad("schema", message, "Install the version that wrote it.")
    except OlderSchemaError as older:
        return bad("schema", str(older), BY_WAY_OF)
    return bad("schema", f"behind, at revision {min(applied)}", "Run `tracker init`.")


def _stopped_by(key: BrokenKey) -> Finding:
    columns = " and ".join(key.columns)
    return bad(
        "schema",
        f"{key.times} x several rows of {key.table} for one {columns}: every run fails",
        "The unique key was dropped: restore a backup.",
    )


def _could_start(data: Path) -> Finding:
    """Return the finding for a stopped embedded server, from its programs and data folder."""
    try:
        find_binaries()
    except BinariesMissingError as missing:
        return bad("postgresql", str(missing), "Then run `tracker doctor` again.")
    if not data.exists():
        return bad("postgresql", "no database yet", "Run `tracker init`.")
    version = (data / "PG_VERSION").read_text(encoding="utf-8").strip()
    if version != VERSION:
        return bad(
            "postgresql",
            f"{data} is from PostgreSQL {version}, the programs are PostgreSQL {VERSION}",
            "Back it up with the version that wrote it, and restore it with this one.",
        )
    return ok("postgresql", "not running (embedded): it starts on demand")


def _kind(settings: Settings) -> str:
    return "at TRACKER_DATABASE_URL" if settings.database_url else "embedded"


def _way_out(settings: Settings) -> str:
    if settings.database_url:
        return "Then run `tracker doctor` again."  # the error says what to do
    return f"See {settings.home_path / 'postgres' / 'server.log'}."
