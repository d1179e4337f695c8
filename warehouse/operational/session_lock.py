"""Locks of PostgreSQL that end with their process, and need no open transaction."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event, Thread
from typing import Any

import psycopg

from warehouse.operational.engines import NOTICE_LOST_CLIENTS
from warehouse.operational.store import OperationalStore

LONGEST_WAIT = "30s"
CHECKED_EVERY_SECONDS, GRACE_SECONDS = 1.0, 5.0
"""How often a process checks its lock, and how long others wait for it to be locked again."""
IN_TIME: Mapping[str, Any] = {"connect_timeout": 3, "tcp_user_timeout": 3000}
"""A network that is away may delay the lock for less than GRACE_SECONDS once it is back. Otherwise
libpq waits for minutes, and for an answer without end.
"""
_TRY = "select pg_try_advisory_lock(%(key)s)"
_AWAIT = "select pg_advisory_lock(%(key)s)"
_AWAIT_IN_TIME = "select set_config('lock_timeout', %(longest)s, true), pg_advisory_lock(%(key)s)"


@contextmanager
def session_lock(store: OperationalStore, key: int) -> Iterator[None]:
    """Hold a lock, also while another process waits for it.

    It ends early if PostgreSQL restarts. Raises psycopg.errors.LockNotAvailable after LONGEST_WAIT.
    """
    with store.statements() as connection:
        connection.execute(_AWAIT_IN_TIME, {"key": key, "longest": LONGEST_WAIT})
        try:
            yield
        finally:
            with suppress(psycopg.OperationalError):  # it ended with its connection
                connection.execute("select pg_advisory_unlock(%s)", [key])


@contextmanager
def long_lock(store: OperationalStore, key: int, *, waits: bool = True) -> Iterator[Event]:
    """Hold a lock for long; the event is set once another process has it, unless this one `waits`.

    A restart of PostgreSQL frees it: a thread locks it again. Another process may have been faster.
    """
    is_elsewhere, is_over = Event(), Event()
    lock = partial(_lock, key=key, waits=waits, is_elsewhere=is_elsewhere)
    lock(connection := connected(store.dsn))
    arguments = (connection, store.dsn, lock, is_elsewhere, is_over)
    keeper = Thread(target=_stay_locked, args=arguments, daemon=True)
    keeper.start()
    try:
        yield is_elsewhere
    finally:
        is_over.set()
        keeper.join(GRACE_SECONDS)  # not longer: its connection may hang until TCP gives up


def _lock(connection: psycopg.Connection, *, key: int, waits: bool, is_elsewhere: Event) -> None:
    if connection.execute(_AWAIT if waits else _TRY, {"key": key}).fetchone() == (False,):
        is_elsewhere.set()


def _stay_locked(
    connection: psycopg.Connection,
    dsn: str,
    lock: Callable[[psycopg.Connection], None],
    is_elsewhere: Event,
    is_over: Event,
) -> None:
    is_locked = True
    while not is_elsewhere.is_set() and not is_over.wait(CHECKED_EVERY_SECONDS):
        with suppress(psycopg.OperationalError):
            if connection.closed:
                connection, is_locked = connected(dsn), False
            if not is_locked:  # a lock_timeout of the role ends the statement alone
                lock(connection)
                is_locked = True
            connection.execute("select 1")
    connection.close()


def connected(dsn: str) -> psycopg.Connection:
    """Return a connection for a lock, which fails in time."""
    connection = psycopg.connect(dsn, autocommit=True, **IN_TIME)
    connection.execute(NOTICE_LOST_CLIENTS)
    return connection
