"""A lease for the server that counts requests in memory, if there is no Redis.

In-memory windows are exact for one process: two servers on one database would give each key twice
its limit. So a server holds an advisory lock on its own connection, which ends with the process.
After losing PostgreSQL it takes the lock again, and stops if another server has it.
"""

import os
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import psycopg
import structlog

from warehouse.operational.engines import NOTICE_LOST_CLIENTS
from warehouse.settings import Settings

PATIENCE_SECONDS = 10.0
"""How long a server waits for the previous one to end, about a restart."""
WAY_OUT = "Set TRACKER_REDIS_URL so that servers share rate limits, or stop the other server."
NAME = "tracker serve"

_LOCK = (0x747261, 1)
"""Advisory locks with two keys are a separate space, which nothing else here uses."""
_PAUSE_SECONDS = 0.2
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
    """Another server counts this database's requests in memory."""

    def __init__(self, holder: str | None) -> None:
        super().__init__(
            f"{holder or 'another server'} already serves from this database, and each would"
            " count requests separately"
        )


@contextmanager
def counting_alone(settings: Settings, dsn: str, stop: Callable[[], None]) -> Iterator[None]:
    """Hold the lease during the block; does nothing with Redis or without rate limits.

    Raises AnotherServesError if another server keeps the lease. If the lease is lost within the
    block, calls `stop` and raises at the end.
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
    """Return the server that holds the lease, by host and process id, or None."""
    row = connection.execute(_HOLDER, _LOCK).fetchone()
    return row[0] if row else None


class _Lease:
    """The lock and its connection. `renew` runs in its own thread."""

    def __init__(self, dsn: str, stop: Callable[[], None]) -> None:
        self.lost_to: AnotherServesError | None = None
        self._dsn = dsn
        self._stop = stop
        self._connection: psycopg.Connection | None = None
        self._ended, self._end = os.pipe()

    def acquire(self) -> None:
        """Acquire the lock, waiting a while for its holder. Raises AnotherServesError."""
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
        """Hold the lock until the end, and reacquire it after PostgreSQL was down."""
        while not self._broken_off():
            _log.warning("PostgreSQL broke off: taking the lease again")
            try:
                self._acquire_again()
            except AnotherServesError as another:
                _log.exception("another server took over; this one ends", way_out=WAY_OUT)
                self.lost_to = another
                self._stop()
                return

    def end(self) -> None:
        os.write(self._end, b"\0")

    def _broken_off(self) -> bool:
        """Wait; return True at the end, and False if the connection breaks."""
        connection = self._connection
        while connection is not None:
            ready, _, _ = select.select([self._ended, connection.fileno()], [], [])
            if self._ended in ready:
                connection.close()
                return True
            try:
                connection.execute("select 1")  # a notice from the server is not a disconnect
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
            self._dsn, autocommit=True, application_name=name[:63], connect_timeout=10
        )
        connection.execute(NOTICE_LOST_CLIENTS)
        return connection


def _acquired(connection: psycopg.Connection) -> bool:
    row = connection.execute("select pg_try_advisory_lock(%s, %s)", _LOCK).fetchone()
    return row == (True,)
