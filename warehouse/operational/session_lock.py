"""Locks of PostgreSQL that end with their process, and need no open transaction."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg

from warehouse.operational.store import OperationalStore

LONGEST_WAIT = "30s"
_TRY = "select pg_try_advisory_lock(%(key)s)"
_AWAIT = "select set_config('lock_timeout', %(longest)s, true), pg_advisory_lock(%(key)s)"


@contextmanager
def session_lock(store: OperationalStore, key: int, *, waits: bool = True) -> Iterator[bool]:
    """Hold a lock; yield False if another process has it, unless this one `waits` for it.

    It ends early if PostgreSQL restarts. Raises psycopg.errors.LockNotAvailable after LONGEST_WAIT.
    """
    values = {"key": key, "longest": LONGEST_WAIT}
    with store.statements() as connection:
        row = connection.execute(_AWAIT if waits else _TRY, values).fetchone()
        is_ours = waits or row == (True,)
        try:
            yield is_ours
        finally:
            if is_ours:
                with suppress(psycopg.OperationalError):  # it ended with its connection
                    connection.execute("select pg_advisory_unlock(%s)", [key])
