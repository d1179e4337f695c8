"""Connection pools to PostgreSQL, one per kind of transaction."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from select import POLLIN, poll
from typing import Any

import psycopg
from psycopg.errors import IdleInTransactionSessionTimeout
from sqlalchemy import URL, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import DisconnectionError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

# An API process answers with up to 40 threads, most of which wait for something else. Only API
# processes use all three pools; four of them stay within the
# embedded server's 200 connections.
POOL_SIZE = 5
OPEN_AT_MOST = 15

KEEPALIVE: Mapping[str, Any] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""How a lost machine is noticed after 25 s. Linux waits for two hours."""
NOTICE_LOST_SERVER = {key: str(value) for key, value in KEEPALIVE.items()} | {
    "tcp_user_timeout": "25000"
}
"""Parameters of libpq: without the last, Linux sends a statement again for 15 minutes."""
NOTICE_LOST_CLIENTS = "; ".join(f"set tcp_{name} = {number}" for name, number in KEEPALIVE.items())
"""Frees a lost machine's locks."""
IDLE = "idle_in_transaction_session_timeout"
LONGEST_IDLE = "10min"
"""How long a transaction may wait for its process, before PostgreSQL ends it with SQLSTATE 25P03.

A stopped process, whose connection stays open, blocks others no longer. Meanwhile a registration
downloads batches and uploads forms. Transactions that wait longer set LIMIT_IDLE.
"""
LIMIT_IDLE = f"set_config('{IDLE}', :idle, true)"


@contextmanager
def transactions(url: URL, **chosen: Any) -> Iterator[Engine]:
    """Yield a pool for transactions. `chosen` are further arguments of create_engine."""
    engine = create_engine(
        url,
        pool_size=POOL_SIZE,
        max_overflow=OPEN_AT_MOST - POOL_SIZE,
        hide_parameters=True,  # user input must not appear in tracebacks
        pool_use_lifo=True,  # reuse few connections, with prepared statements
        connect_args={
            "connect_timeout": 10,
            "application_name": "tracker",
            "client_encoding": "utf8",
        },
        **chosen,
    )
    event.listen(engine, "connect", _set_utc)
    event.listen(engine, "checkout", _check_alive)
    event.listen(engine, "handle_error", _name_lost)
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def snapshots(url: URL) -> Iterator[Engine]:
    """Yield a pool of read-only connections, each transaction a snapshot."""
    with transactions(url, isolation_level="REPEATABLE READ") as engine:
        event.listen(engine, "connect", _read_only)
        yield engine


@contextmanager
def autocommit(url: URL) -> Iterator[Engine]:
    with transactions(url, isolation_level="AUTOCOMMIT", skip_autocommit_rollback=True) as engine:
        event.listen(engine, "connect", _leave_writing_to_disk)
        yield engine


def _leave_writing_to_disk(connection: psycopg.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.execute("set synchronous_commit = off")


def _read_only(connection: psycopg.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.read_only = True


def _set_utc(connection: psycopg.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.execute(f"set time zone 'UTC'; {NOTICE_LOST_CLIENTS}; set {IDLE} = '{LONGEST_IDLE}'")
    connection.commit()


def _name_lost(context: ExceptionContext) -> None:
    """Raise OperationalError, as of other lost connections, after the end of an idle transaction.

    psycopg (3) calls it an InternalError, which callers do not retry.
    """
    original = context.original_exception
    if isinstance(original, IdleInTransactionSessionTimeout):
        raise OperationalError(context.statement, None, original, connection_invalidated=True)


def _check_alive(
    connection: psycopg.Connection, _entry: ConnectionPoolEntry, _proxy: PoolProxiedConnection
) -> None:
    """Raise DisconnectionError for a closed connection, so that the pool reconnects.

    An idle connection has nothing to read unless the server closed it. Polling costs microseconds,
    a query a round trip. So a restarted server fails no request, and other requests cost nothing.
    """
    idle = poll()
    idle.register(connection.pgconn.socket, POLLIN)
    if idle.poll(0):
        raise DisconnectionError("the server closed an idle connection")
