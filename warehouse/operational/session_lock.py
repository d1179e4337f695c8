"""Locks of PostgreSQL that end with their process, and need no open transaction."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg

from warehouse.operational.store import OperationalStore


@contextmanager
def session_lock(store: OperationalStore, key: int, *, waits: bool = True) -> Iterator[bool]:
    """Hold a lock; yield False if another process has it, unless this one `waits` for it.

    It ends early if PostgreSQL restarts.
    """
    function = "pg_advisory_lock" if waits else "pg_try_advisory_lock"
    with store.statements() as connection:
        row = connection.execute(f"select {function}(%s)", [key]).fetchone()
        is_ours = waits or row == (True,)
        try:
            yield is_ours
        finally:
            if is_ours:
                with suppress(psycopg.OperationalError):  # it ended with its connection
                    connection.execute("select pg_advisory_unlock(%s)", [key])
