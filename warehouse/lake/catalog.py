"""The lake's catalog: a schema of the service's PostgreSQL, and its readers."""

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import text
from sqlalchemy.orm import Session

from warehouse.operational.engines import IDLE, LIMIT_IDLE
from warehouse.operational.store import OperationalStore

CATALOG = "lake"
"""The schema. No backup contains it, because the next run recreates it."""
_ONE_AT_A_TIME = int.from_bytes(b"lake")
LONGEST_CHANGE = "6h"
"""How long a change may take before PostgreSQL frees its lock, because it may be stopped.

It blocks runs of other shards. The first publication in a lake is written as a whole.
"""
_AWAIT_TURN = f"select pg_advisory_xact_lock(:key), {LIMIT_IDLE}"
READS = (
    "grant usage on schema lake to {role}",
    "grant select on all tables in schema lake to {role}",
    "alter default privileges in schema lake grant select on tables to {role}",
)


@contextmanager
def alone(store: OperationalStore) -> Iterator[Session]:
    """Run the block alone among processes that change the lake. Yields the session that locks.

    Raises OperationalError after a block longer than LONGEST_CHANGE.
    """
    with store.write_session() as session:
        session.execute(text(_AWAIT_TURN), {"key": _ONE_AT_A_TIME, "idle": LONGEST_CHANGE})
        yield session


def address_for(store: OperationalStore, role: str | None = None) -> str:
    """Return the address that DuckDB attaches, for a role or the service, without password."""
    address = conninfo_to_dict(store.dsn)
    address.pop("password", None)
    limit = f"{address.get('options', '')} -c{IDLE}={LONGEST_CHANGE}".strip()
    own = {"user": role} if role else {"options": limit}
    return f"ducklake:postgres:{make_conninfo('', **address | own)}"


def let_read(store: OperationalStore, role: str) -> None:
    """Let a role of PostgreSQL read the catalog, and no other table of the service.

    The catalog has everyone's numbers. Raises psycopg.errors.UndefinedObject for an unknown role,
    InvalidSchemaName before the first publication is in the lake.
    """
    _execute(store, *(sql.SQL(grant).format(role=sql.Identifier(role)) for grant in READS))


def forget(store: OperationalStore) -> None:
    """Drop the catalog and its grants. The next publication recreates it."""
    _execute(store, sql.SQL("drop schema if exists lake cascade"))


def _execute(store: OperationalStore, *statements: sql.SQL | sql.Composed) -> None:
    with store.statements() as connection, connection.transaction():
        for statement in statements:
            connection.execute(statement)
