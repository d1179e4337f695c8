"""Which server counts the requests of a minute, where no Redis counts them for several.

Windows in memory are exact for one process: two servers on one database would give each key twice
what it may have. So a server holds an advisory lock of the database, on a connection of its own
that ends with the process, however it ends. When PostgreSQL was away the lock is taken anew; a
server that finds it taken by another stops serving, and says why.
"""

import os
import select
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

import psycopg
import structlog

from warehouse.settings import Settings

PATIENCE_SECONDS = 10.0
"""How long a server waits for the one before it to end: as long as a restart takes."""
WAY_OUT = "Let servers count together by TRACKER_REDIS_URL, or end the other one."
NAME = "tracker serve"

_LOCK = (0x747261, 1)
"""Advisory locks of two numbers are a space of their own; nothing else here uses it."""
_PAUSE_SECONDS = 0.2
_KEEPALIVE: Mapping[str, Any] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
_HOLDER = """
    select application_name
    from pg_locks
    join pg_stat_activity using (pid)
    where locktype = 'advisory'
        and pg_locks.database = (select oid from pg_database where datname = current_database())
        and (classid, objid, objsubid) = (%s, %s, 2)
        and granted
"""

_log = structlog.get_logger(__name__)


class AnotherServesError(RuntimeError):
    """Another server counts the requests of this database in its memory."""

    def __init__(self, holder: str | None) -> None:
        super().__init__(
            f"{holder or 'another server'} serves from this database already, and the requests of"
            " a minute would be counted by each alone"
        )


@contextmanager
def counting_alone(settings: Settings, dsn: str, stop: Callable[[], None]) -> Iterator[None]:
    """Be the one server that counts, for the block; where Redis counts or nobody, do nothing.

    Raises AnotherServesError where another one does and goes on doing so, also at the end of a
    block that it took the lease from: `stop` is called then, to end it.
    """
    if settings.redis_url or not settings.api_rate_limits:
        yield
        return
    lease = _Lease(dsn, stop)
    lease.acquire()
    keeper = Thread(target=lease.renew, name="lease", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        lease.end()
        keeper.join()
    if lease.lost_to is not None:
        raise lease.lost_to


def holder_of(connection: psycopg.Connection) -> str | None:
    """Return which server counts, by host and process id, None where none does."""
    row = connection.execute(_HOLDER, _LOCK).fetchone()
    return row[0] if row else None


class _Lease:
    """The lock and the connection that holds it. `renew` runs in a thread of its own."""

    def __init__(self, dsn: str, stop: Callable[[], None]) -> None:
        self.lost_to: AnotherServesError | None = None
        self._dsn = dsn
        self._stop = stop
        self._connection: psycopg.Connection | None = None
        self._ended, self._end = os.pipe()

    def acquire(self) -> None:
        """Take the lock, waiting a while for who has it. Raises AnotherServesError."""
        connection = self._connected()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not _acquired(connection):
            holder = holder_of(connection)
            if time.monotonic() >= deadline:
                connection.close()
                raise AnotherServesError(holder)
            _log.warning("waiting for another server to end", holder=holder)
            if self._is_over(1.0):
                break
        self._connection = connection

    def renew(self) -> None:
        """Hold the lock until the end, and take it anew whenever PostgreSQL was away."""
        while not self._broken_off():
            _log.warning("PostgreSQL broke off: taking the lease anew")
            try:
                self._acquire_again()
            except AnotherServesError as another:
                _log.exception("another server took over; this one ends", way_out=WAY_OUT)
                self.lost_to = another
                self._stop()
                return

    def end(self) -> None:
        """Let go of the lock."""
        os.write(self._end, b"\0")

    def _broken_off(self) -> bool:
        """Wait; return True at the end, and False once the connection is gone."""
        connection = self._connection
        while connection is not None:
            ready, _, _ = select.select([self._ended, connection.fileno()], [], [])
            if self._ended in ready:
                connection.close()
                return True
            try:
                connection.execute("select 1")  # a notice of the server's is no end
            except psycopg.Error:
                connection.close()
                return False
        return True

    def _acquire_again(self) -> None:
        self._connection = None
        while self._connection is None and not self._is_over(_PAUSE_SECONDS):
            with suppress(psycopg.OperationalError):
                self.acquire()

    def _is_over(self, seconds: float) -> bool:
        return bool(select.select([self._ended], [], [], seconds)[0])

    def _connected(self) -> psycopg.Connection:
        name = f"{NAME} {socket.gethostname()}:{os.getpid()}"
        connection = psycopg.connect(
            self._dsn,
            autocommit=True,
            application_name=name[:63],
            connect_timeout=10,
            **_KEEPALIVE,
        )
        for setting, value in _KEEPALIVE.items():
            # A server whose machine is gone must not hold the lock for hours.
            connection.execute(f"set tcp_{setting} = {value}")
        return connection


def _acquired(connection: psycopg.Connection) -> bool:
    row = connection.execute("select pg_try_advisory_lock(%s, %s)", _LOCK).fetchone()
    return row == (True,)
